// SPDX-License-Identifier: MIT
// Reading a pack's ELF file: the section with the manifest and what abi.md section 11 asks of the
// binary. Every offset comes from a stranger and is checked before it is used; nothing is mapped or
// run.
#include "sdk/contract/elf.hpp"

#include <packhost/packhost.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include <elf.h>

namespace packhost::contract {

namespace {

using kit::Code;

constexpr std::size_t kMaxSymbols = 10'000;  // listed: a pack has one
constexpr std::size_t kMaxNameBytes = 1'024; // of a symbol or a search path
constexpr std::string_view kManifestSection = PACKHOST_MANIFEST_SECTION;

struct MachineRow {
  std::uint16_t machine;
  std::string_view name;
};

constexpr std::array kMachines{
    MachineRow{EM_X86_64, "x86_64"},
    MachineRow{EM_AARCH64, "aarch64"},
    MachineRow{EM_386, "i386"},
    MachineRow{EM_ARM, "arm"},
    MachineRow{EM_RISCV, "riscv64"},
    MachineRow{EM_PPC64, "ppc64"},
    MachineRow{EM_S390, "s390x"},
    MachineRow{EM_MIPS, "mips"},
    MachineRow{EM_LOONGARCH, "loongarch64"},
};

#if defined(__x86_64__)
constexpr std::uint16_t kNativeMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t kNativeMachine = EM_AARCH64;
#elif defined(__riscv) && __riscv_xlen == 64
constexpr std::uint16_t kNativeMachine = EM_RISCV;
#elif defined(__powerpc64__)
constexpr std::uint16_t kNativeMachine = EM_PPC64;
#elif defined(__s390x__)
constexpr std::uint16_t kNativeMachine = EM_S390;
#elif defined(__loongarch64)
constexpr std::uint16_t kNativeMachine = EM_LOONGARCH;
#else
#error "packhost runs on 64-bit machines that are listed here"
#endif

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
constexpr unsigned char kNativeOrder = ELFDATA2LSB;
#else
constexpr unsigned char kNativeOrder = ELFDATA2MSB;
#endif

std::string machine_name(std::uint16_t machine) {
  for (const MachineRow &row : kMachines) {
    if (row.machine == machine) return std::string(row.name);
  }
  return fmt::format("machine {:#x}", machine);
}

/// The bytes of a file with its bounds.
class Image {
public:
  explicit Image(std::string_view file) : file_(file) {}

  [[nodiscard]] std::optional<std::string_view> range(std::uint64_t offset,
                                                      std::uint64_t size) const {
    if (offset > file_.size() || size > file_.size() - offset) return std::nullopt;
    return file_.substr(offset, size);
  }

  /// One structure; zeros if it lies outside.
  template <typename T>
  [[nodiscard]] std::optional<T> read(std::uint64_t offset) const {
    const std::optional<std::string_view> bytes = range(offset, sizeof(T));
    if (!bytes) return std::nullopt;
    T value;
    std::memcpy(&value, bytes->data(), sizeof(T));
    return value;
  }

private:
  std::string_view file_;
};

/// The text that starts at `offset` of a string table, cut at kMaxNameBytes.
std::string text_at(std::string_view table, std::uint64_t offset) {
  if (offset >= table.size()) return {};
  const std::string_view rest = table.substr(offset, kMaxNameBytes);
  return std::string(rest.substr(0, rest.find('\0')));
}

template <typename T>
std::optional<T> entry(std::string_view table, std::uint64_t index) {
  if (index >= table.size() / sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, table.data() + index * sizeof(T), sizeof(T));
  return value;
}

class Reader {
public:
  explicit Reader(std::string_view file) : image_(file) {}

  kit::Result<ElfFacts> run();

private:
  kit::Status read_header();
  kit::Status read_tables();
  kit::Status read_manifest();
  void read_segments();
  void read_dynamic(const Elf64_Phdr &segment);
  void read_symbols();
  [[nodiscard]] std::optional<std::uint64_t> file_offset(std::uint64_t address) const;
  [[nodiscard]] std::optional<std::string_view> content(const Elf64_Shdr &section) const;

  Image image_;
  Elf64_Ehdr header_{};
  std::string_view sections_;
  std::string_view segments_;
  std::string_view names_;
  ElfFacts facts_;
};

tl::unexpected<kit::Error> damaged() {
  return kit::fail(Code::config, "its ELF headers are damaged");
}

kit::Result<ElfFacts> Reader::run() {
  for (kit::Status (Reader::*step)() :
       {&Reader::read_header, &Reader::read_tables, &Reader::read_manifest}) {
    kit::Status status = (this->*step)();
    if (!status) return kit::pass_on(status);
  }
  read_segments();
  read_symbols();
  return std::move(facts_);
}

kit::Status Reader::read_header() {
  const std::optional<std::string_view> ident = image_.range(0, EI_NIDENT);
  if (!ident || !ident->starts_with(ELFMAG)) {
    return kit::fail(Code::config, "not a tool pack (not an ELF file)");
  }
  const auto byte = [&ident](std::size_t at) { return static_cast<unsigned char>((*ident)[at]); };
  // e_machine lies at the same place in every class.
  const std::optional<std::string_view> raw = image_.range(offsetof(Elf64_Ehdr, e_machine), 2);
  if (!raw) return damaged();
  const bool is_big = byte(EI_DATA) == ELFDATA2MSB;
  const auto high = static_cast<unsigned char>((*raw)[is_big ? 0 : 1]);
  const auto low = static_cast<unsigned char>((*raw)[is_big ? 1 : 0]);
  const auto machine = static_cast<std::uint16_t>((high << 8U) | low);
  facts_.machine = machine_name(machine);
  const bool is_64 = byte(EI_CLASS) == ELFCLASS64;
  facts_.is_native = machine == kNativeMachine && is_64 && byte(EI_DATA) == kNativeOrder;
  if (!facts_.is_native) {
    std::string note;
    if (machine == kNativeMachine) note = is_64 ? " of the other byte order" : " in 32 bits";
    return kit::fail(Code::config, "built for {}{}, this host is {}", facts_.machine, note,
                     native_machine());
  }
  const std::optional<Elf64_Ehdr> header = image_.read<Elf64_Ehdr>(0);
  if (!header) return damaged();
  header_ = *header;
  if (header_.e_type != ET_DYN) {
    return kit::fail(Code::config, "not a tool pack (not a shared object)");
  }
  return {};
}

kit::Status Reader::read_tables() {
  if (header_.e_shoff == 0 || header_.e_shentsize != sizeof(Elf64_Shdr)) {
    return kit::fail(Code::config, "not a tool pack (no {} section)", kManifestSection);
  }
  const std::optional<Elf64_Shdr> first = image_.read<Elf64_Shdr>(header_.e_shoff);
  if (!first) return damaged();
  // Numbers that do not fit stand in the first section.
  const std::uint64_t count = header_.e_shnum != 0 ? header_.e_shnum : first->sh_size;
  const std::uint64_t names =
      header_.e_shstrndx != SHN_XINDEX ? header_.e_shstrndx : first->sh_link;
  if (count > UINT32_MAX) return damaged();
  const auto sections = image_.range(header_.e_shoff, count * sizeof(Elf64_Shdr));
  if (!sections) return damaged();
  sections_ = *sections;
  const std::optional<Elf64_Shdr> name_section = entry<Elf64_Shdr>(sections_, names);
  const auto table = name_section ? content(*name_section) : std::nullopt;
  if (!table) return damaged();
  names_ = *table;
  const std::uint64_t segments = std::uint64_t{header_.e_phnum} * sizeof(Elf64_Phdr);
  const auto programs = image_.range(header_.e_phoff, segments);
  if (!programs || (header_.e_phnum != 0 && header_.e_phentsize != sizeof(Elf64_Phdr))) {
    return damaged();
  }
  segments_ = *programs;
  return {};
}

std::optional<std::string_view> Reader::content(const Elf64_Shdr &section) const {
  if (section.sh_type == SHT_NOBITS) return std::nullopt;
  return image_.range(section.sh_offset, section.sh_size);
}

kit::Status Reader::read_manifest() {
  std::optional<Elf64_Shdr> found;
  for (std::uint64_t i = 0; i < sections_.size() / sizeof(Elf64_Shdr); ++i) {
    const std::optional<Elf64_Shdr> section = entry<Elf64_Shdr>(sections_, i);
    if (!section || section->sh_name >= names_.size()) continue;
    const std::string_view name = names_.substr(section->sh_name);
    if (name.substr(0, name.find('\0')) != kManifestSection) continue;
    if (found) return kit::fail(Code::config, "it has two {} sections", kManifestSection);
    found = section;
  }
  if (!found) return kit::fail(Code::config, "not a tool pack (no {} section)", kManifestSection);
  const std::optional<std::string_view> text = content(*found);
  if (!text || (found->sh_flags & SHF_COMPRESSED) != 0) {
    return kit::fail(Code::config, "its {} section does not lie in the file", kManifestSection);
  }
  std::string_view manifest = *text;
  // The NUL of the string literal, and what a sanitizer pads its global with.
  manifest = manifest.substr(0, manifest.find_last_not_of('\0') + 1);
  if (manifest.size() > kMaxManifestBytes) {
    return kit::fail(Code::config, "the manifest is {} bytes; the limit is {}", manifest.size(),
                     kMaxManifestBytes);
  }
  if (manifest.empty()) return kit::fail(Code::config, "the manifest is empty");
  if (manifest.find('\0') != std::string_view::npos) {
    return kit::fail(Code::config,
                     "its {} section holds more than one text (is PACKHOST_MANIFEST used twice?)",
                     kManifestSection);
  }
  facts_.manifest = manifest;
  return {};
}

void Reader::read_segments() {
  facts_.has_executable_stack = true; // what the linker means by leaving the segment out
  for (std::uint64_t i = 0; i < header_.e_phnum; ++i) {
    const std::optional<Elf64_Phdr> segment = entry<Elf64_Phdr>(segments_, i);
    if (!segment) continue;
    if (segment->p_type == PT_GNU_STACK) {
      facts_.has_executable_stack = (segment->p_flags & PF_X) != 0;
    }
    if (segment->p_type == PT_GNU_RELRO) facts_.has_relro = true;
    if (segment->p_type == PT_DYNAMIC) read_dynamic(*segment);
  }
}

/// Where in the file an address lies that the loader would use.
std::optional<std::uint64_t> Reader::file_offset(std::uint64_t address) const {
  for (std::uint64_t i = 0; i < header_.e_phnum; ++i) {
    const std::optional<Elf64_Phdr> segment = entry<Elf64_Phdr>(segments_, i);
    if (!segment || segment->p_type != PT_LOAD || address < segment->p_vaddr) continue;
    const std::uint64_t behind = address - segment->p_vaddr;
    if (behind < segment->p_filesz && segment->p_offset <= UINT64_MAX - behind) {
      return segment->p_offset + behind;
    }
  }
  return std::nullopt;
}

void Reader::read_dynamic(const Elf64_Phdr &segment) {
  const auto table = image_.range(segment.p_offset, segment.p_filesz);
  if (!table) return;
  std::optional<std::uint64_t> rpath;
  std::optional<std::uint64_t> runpath;
  std::uint64_t strings = 0;
  std::uint64_t strings_size = 0;
  for (std::uint64_t i = 0;; ++i) {
    const std::optional<Elf64_Dyn> dynamic = entry<Elf64_Dyn>(*table, i);
    if (!dynamic || dynamic->d_tag == DT_NULL) break;
    const std::uint64_t value = dynamic->d_un.d_val;
    switch (dynamic->d_tag) {
    case DT_STRTAB:
      strings = value;
      break;
    case DT_STRSZ:
      strings_size = value;
      break;
    case DT_RPATH:
      rpath = value;
      break;
    case DT_RUNPATH:
      runpath = value;
      break;
    case DT_INIT_ARRAYSZ:
      facts_.init_functions = value / sizeof(Elf64_Addr);
      break;
    case DT_TEXTREL:
      facts_.has_text_relocations = true;
      break;
    case DT_BIND_NOW:
      facts_.binds_now = true;
      break;
    case DT_FLAGS:
      if ((value & DF_TEXTREL) != 0) facts_.has_text_relocations = true;
      if ((value & DF_BIND_NOW) != 0) facts_.binds_now = true;
      break;
    case DT_FLAGS_1:
      if ((value & DF_1_NOW) != 0) facts_.binds_now = true;
      break;
    default:
      break;
    }
  }
  const std::optional<std::uint64_t> offset = file_offset(strings);
  const auto names = offset ? image_.range(*offset, strings_size) : std::nullopt;
  if (rpath) facts_.rpath = names ? text_at(*names, *rpath) : "(unreadable)";
  if (runpath) facts_.runpath = names ? text_at(*names, *runpath) : "(unreadable)";
}

void Reader::read_symbols() {
  for (std::uint64_t i = 0; i < sections_.size() / sizeof(Elf64_Shdr); ++i) {
    const std::optional<Elf64_Shdr> section = entry<Elf64_Shdr>(sections_, i);
    if (!section || section->sh_type != SHT_DYNSYM) continue;
    const auto symbols = content(*section);
    const std::optional<Elf64_Shdr> name_section = entry<Elf64_Shdr>(sections_, section->sh_link);
    const auto names = name_section ? content(*name_section) : std::nullopt;
    if (!symbols || !names) return;
    for (std::uint64_t s = 0; facts_.defined_symbols.size() < kMaxSymbols; ++s) {
      const std::optional<Elf64_Sym> symbol = entry<Elf64_Sym>(*symbols, s);
      if (!symbol) return;
      const unsigned binding = symbol->st_info >> 4U;
      const bool is_global =
          binding == STB_GLOBAL || binding == STB_WEAK || binding == STB_GNU_UNIQUE;
      if (!is_global || symbol->st_shndx == SHN_UNDEF) continue;
      facts_.defined_symbols.push_back(text_at(*names, symbol->st_name));
    }
    return;
  }
}

} // namespace

std::string_view native_machine() {
  static const std::string name = machine_name(kNativeMachine);
  return name;
}

kit::Result<ElfFacts> read_elf(std::string_view file) {
  return Reader(file).run();
}

} // namespace packhost::contract
