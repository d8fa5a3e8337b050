// SPDX-License-Identifier: MIT
// Reading ELF files: a real shared object, and small ones made here with one thing wrong each.
#include "sdk/contract/elf.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include <elf.h>

namespace packhost::contract {

namespace {

template <typename T>
void append(std::string &out, const T &value) {
  out.append(reinterpret_cast<const char *>(&value), sizeof value);
}

template <typename T>
void patch(std::string &file, std::size_t offset, const T &value) {
  std::memcpy(file.data() + offset, &value, sizeof value);
}

/// Header, one program header (GNU_STACK), the contents, three section headers.
struct SmallElf {
  std::string section_name = ".packhost.manifest";
  std::string content = std::string("{\"a\":1}", 8); // with the NUL of the literal
  std::uint16_t machine = EM_X86_64;
  bool has_section = true;

  [[nodiscard]] std::string build() const {
    const std::string names = std::string(1, '\0') + section_name + '\0' + ".shstrtab" + '\0';
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_DYN;
    header.e_machine = machine;
    header.e_phoff = sizeof(Elf64_Ehdr);
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 1;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = has_section ? 3 : 2;
    header.e_shstrndx = static_cast<std::uint16_t>(header.e_shnum - 1);
    const std::size_t content_at = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
    header.e_shoff = content_at + content.size() + names.size();
    Elf64_Phdr stack{};
    stack.p_type = PT_GNU_STACK;
    stack.p_flags = PF_R | PF_W;
    std::string file;
    append(file, header);
    append(file, stack);
    file += content + names;
    append(file, Elf64_Shdr{});
    Elf64_Shdr manifest{};
    manifest.sh_name = 1;
    manifest.sh_type = SHT_PROGBITS;
    manifest.sh_offset = content_at;
    manifest.sh_size = content.size();
    if (has_section) append(file, manifest);
    Elf64_Shdr strings{};
    strings.sh_name = static_cast<std::uint32_t>(section_name.size() + 2);
    strings.sh_type = SHT_STRTAB;
    strings.sh_offset = content_at + content.size();
    strings.sh_size = names.size();
    append(file, strings);
    return file;
  }
};

std::string outcome(const std::string &file) {
  const kit::Result<ElfFacts> facts = read_elf(file);
  return facts ? facts->manifest : facts.error().message;
}

std::string read_file(const char *path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

} // namespace

TEST_SUITE("contract/elf") {
  TEST_CASE("a real shared object gives its manifest and its properties") {
    const kit::Result<ElfFacts> facts = read_elf(read_file(ELF_FIXTURE));
    if (!facts) FAIL(facts.error().message);
    CHECK(facts->manifest ==
          R"({"manifest": 1, "name": "fixture", "version": "1.0.0", "abi": "1.0"})");
    CHECK(facts->is_native);
    CHECK(facts->machine == native_machine());
    CHECK(facts->defined_symbols == std::vector<std::string>{"packhost_pack_v1"});
    CHECK(facts->rpath.empty());
    CHECK(facts->runpath == "$ORIGIN/lib");
    CHECK(facts->binds_now);
    CHECK(facts->has_relro);
    CHECK_FALSE(facts->has_executable_stack);
    CHECK_FALSE(facts->has_text_relocations);
  }

#if defined(__x86_64__)

  TEST_CASE("[A-2] what is no pack of this machine is refused word for word") {
    CHECK(outcome(SmallElf{}.build()) == "{\"a\":1}");
    CHECK(outcome("") == "not a tool pack (not an ELF file)");
    CHECK(outcome("#!/bin/sh\n") == "not a tool pack (not an ELF file)");
    SmallElf other_name;
    other_name.section_name = ".packhost.manifesto";
    CHECK(outcome(other_name.build()) == "not a tool pack (no .packhost.manifest section)");
    SmallElf without;
    without.has_section = false;
    CHECK(outcome(without.build()) == "not a tool pack (no .packhost.manifest section)");
    SmallElf foreign;
    foreign.machine = EM_AARCH64;
    CHECK(outcome(foreign.build()) == "built for aarch64, this host is x86_64");
    foreign.machine = 0x1234;
    CHECK(outcome(foreign.build()) == "built for machine 0x1234, this host is x86_64");
    std::string narrow = SmallElf{}.build();
    narrow[EI_CLASS] = ELFCLASS32;
    CHECK(outcome(narrow) == "built for x86_64 in 32 bits, this host is x86_64");
    std::string executable = SmallElf{}.build();
    patch(executable, offsetof(Elf64_Ehdr, e_type), std::uint16_t{ET_EXEC});
    CHECK(outcome(executable) == "not a tool pack (not a shared object)");
  }

  TEST_CASE("[I-5] the size of the manifest is bounded before it is copied") {
    SmallElf elf;
    elf.content = std::string(300'000, 'x');
    CHECK(outcome(elf.build()) == "the manifest is 300000 bytes; the limit is 262144");
    elf.content = std::string(262'144, 'x') + '\0';
    CHECK(outcome(elf.build()).size() == 262'144);
    elf.content = std::string(1, '\0');
    CHECK(outcome(elf.build()) == "the manifest is empty");
    elf.content = std::string("{}") + std::string(62, '\0'); // a sanitizer pads its globals
    CHECK(outcome(elf.build()) == "{}");
    elf.content = std::string("{}\0{}\0", 6);
    CHECK(outcome(elf.build()) == "its .packhost.manifest section holds more than one text (is "
                                  "PACKHOST_MANIFEST used twice?)");
  }

  TEST_CASE("sections that lie outside the file are refused") {
    const SmallElf elf;
    const std::string whole = elf.build();
    const std::size_t section = whole.size() - 2 * sizeof(Elf64_Shdr); // the manifest's header
    for (const std::uint64_t offset : {std::uint64_t{whole.size()}, UINT64_MAX, UINT64_MAX - 4}) {
      std::string file = whole;
      patch(file, section + offsetof(Elf64_Shdr, sh_offset), offset);
      CHECK(outcome(file) == "its .packhost.manifest section does not lie in the file");
    }
    std::string no_bits = whole;
    patch(no_bits, section + offsetof(Elf64_Shdr, sh_type), std::uint32_t{SHT_NOBITS});
    CHECK(outcome(no_bits) == "its .packhost.manifest section does not lie in the file");
    std::string tables = whole;
    patch(tables, offsetof(Elf64_Ehdr, e_shoff), UINT64_MAX - 8);
    CHECK(outcome(tables) == "its ELF headers are damaged");
    std::string many = whole;
    patch(many, offsetof(Elf64_Ehdr, e_shnum), std::uint16_t{0xFFFF});
    CHECK(outcome(many) == "its ELF headers are damaged");
  }

#endif

  TEST_CASE(
      "cut at any length and with any byte of the headers changed, a file is read or refused") {
    for (const std::string &whole : {SmallElf{}.build(), read_file(ELF_FIXTURE)}) {
      const std::size_t step = whole.size() > 2'000 ? 37 : 1;
      for (std::size_t size = 0; size < whole.size(); size += step) {
        CHECK_FALSE(outcome(whole.substr(0, size)).empty());
      }
      std::string changed = whole;
      for (std::size_t at = 0; at < whole.size(); at += at < 1'000 ? 1 : step) {
        for (const char byte : {'\0', '\x7F', '\xFF'}) {
          changed[at] = byte;
          CHECK_FALSE(outcome(changed).empty());
        }
        changed[at] = whole[at];
      }
    }
  }
}

} // namespace packhost::contract
