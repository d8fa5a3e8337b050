// SPDX-License-Identifier: MIT
// Secret options and file contents.
#include "host/cli/secrets.hpp"

#include "host/cli/paths.hpp"
#include "sdk/contract/validator.hpp"
#include "sdk/kit/errno_text.hpp"
#include "sdk/kit/utf8.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>

#include <fcntl.h>
#include <unistd.h>

namespace packhost::cli {

using kit::Code;
using kit::json::Kind;

namespace {

/// Pointers of all values a secret is to stand in.
std::vector<std::string> find_secret_places(const Node &schema, Node &values) {
  std::vector<std::string> pointers;
  const auto visited = visit_places(schema, values, [&pointers](const Place &place) -> kit::Status {
    if (place.meaning.is_hidden()) pointers.push_back(place.pointer);
    return {};
  });
  return visited ? pointers : std::vector<std::string>();
}

std::string parent_of(const std::string &pointer) {
  return pointer.substr(0, pointer.rfind('/'));
}

std::string key_of(const std::string &pointer) {
  std::string key = pointer.substr(pointer.rfind('/') + 1);
  for (const auto &[escape, character] : {std::pair{"~1", "/"}, std::pair{"~0", "~"}})
    for (std::size_t at = key.find(escape); at != std::string::npos; at = key.find(escape, at + 1))
      key.replace(at, 2, character);
  return key;
}

kit::Result<std::string> read_descriptor(std::string_view number) {
  int fd = -1;
  const auto [rest, error] = std::from_chars(number.data(), number.data() + number.size(), fd);
  if (error != std::errc() || rest != number.data() + number.size() || fd < 3)
    return kit::fail(Code::config, "@fd: takes the number of a descriptor from 3 on");
  if (::fcntl(fd, F_GETFD) < 0) return kit::fail(Code::config, "descriptor {} is not open", fd);
  std::string bytes(4096, '\0');
  std::size_t have = 0;
  while (true) {
    if (have == bytes.size()) bytes.resize(bytes.size() * 2);
    const ssize_t got = ::read(fd, bytes.data() + have, bytes.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return kit::fail(Code::config, "descriptor {} cannot be read ({})", fd,
                       kit::errno_text(errno));
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
    if (have > kMaxSecretBytes)
      return kit::fail(Code::config, "descriptor {} holds more than {} bytes", fd, kMaxSecretBytes);
  }
  ::close(fd);
  bytes.resize(have);
  return bytes;
}

kit::Result<std::string> read_variable(std::string_view name,
                                       const support::PrivateEnvironment &environment) {
  const auto value = environment.find(name);
  if (!value || value->empty())
    return kit::fail(Code::config, "the variable {} is empty or not set", name);
  return std::string(*value);
}

kit::Result<std::string> read_secret_file(const std::string &path) {
  auto text = read_small_file(path, kMaxSecretBytes);
  if (!text) return kit::fail(Code::config, "{} {}", path, text.error().message);
  return text;
}

kit::Result<std::string> read_reference(const Place &place,
                                        const support::PrivateEnvironment &environment,
                                        pack::SecretSource &source) {
  const std::string &text = place.value.text;
  if (place.meaning.secret_from == HostMeaning::SecretFrom::variable)
    return read_variable(text, environment);
  if (place.meaning.secret_from == HostMeaning::SecretFrom::file) {
    source.file = text;
    return read_secret_file(text);
  }
  if (text.starts_with("@env:"))
    return read_variable(std::string_view(text).substr(5), environment);
  if (text.starts_with("@fd:")) return read_descriptor(std::string_view(text).substr(4));
  if (text.starts_with("@file:")) {
    source.file = text.substr(6);
    return read_secret_file(source.file);
  }
  return text; // a literal of a file
}

/// Without one line ending at the end; refuses what cannot stand in JSON or is nothing.
kit::Status tidy_secret(std::string &text) {
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  if (text.empty()) return kit::fail(Code::config, "the secret is empty");
  if (!kit::utf8::is_valid(text) || text.find('\0') != std::string::npos)
    return kit::fail(Code::config, "the secret is not UTF-8 text without NUL");
  return {};
}

/// What the option's own schema says about the secret itself.
kit::Status check_secret(const Place &place) {
  if (place.meaning.secret_from != HostMeaning::SecretFrom::nothing) return {};
  auto compiled = contract::Schema::compile(write_tree(place.schema));
  if (!compiled) return kit::fail(Code::config, "{}", compiled.error().message);
  std::string text = write_tree(place.value);
  const auto checked = compiled->check(text);
  std::fill(text.begin(), text.end(), '\0');
  if (!checked) return kit::fail(Code::config, "the secret {}", checked.error().rule);
  return {};
}

kit::Status read_content(const Place &place) {
  auto text = read_small_file(place.value.text, kMaxOptionsFileBytes);
  if (!text) return kit::fail(Code::config, "{} {}", place.value.text, text.error().message);
  if (!kit::utf8::is_valid(*text) || text->find('\0') != std::string::npos)
    return kit::fail(Code::config, "{} is not UTF-8 text without NUL", place.value.text);
  place.value.text = std::move(*text);
  return {};
}

} // namespace

SecretReferences take_out_secrets(const Node &schema, Node &values) {
  SecretReferences references;
  for (const std::string &pointer : find_secret_places(schema, values)) {
    std::string target = pointer;
    Node *parent = find_pointer(values, parent_of(target));
    while (parent != nullptr && parent->is(Kind::array)) {
      target = parent_of(target);
      parent = find_pointer(values, parent_of(target));
    }
    Node *value = parent != nullptr ? find_pointer(values, target) : nullptr;
    if (value == nullptr) continue; // taken out with the list it stands in
    references.emplace_back(target, std::move(*value));
    parent->remove(key_of(target));
  }
  return references;
}

bool put_back_secrets(const Node &schema, Node &values, SecretReferences references) {
  if (!find_secret_places(schema, values).empty()) return false;
  for (auto &[pointer, value] : references) {
    Node *parent = find_pointer(values, parent_of(pointer));
    if (parent != nullptr && parent->is(Kind::object))
      parent->set(key_of(pointer), std::move(value));
  }
  return true;
}

Node hide_secrets(const Node &schema, const Node &values) {
  Node shown = values;
  for (const std::string &pointer : find_secret_places(schema, shown))
    if (Node *value = find_pointer(shown, pointer)) *value = Node::string("(secret)");
  return shown;
}

kit::Result<std::vector<pack::SecretSource>>
read_secrets(const Node &schema, const GivenOptions &given, Node &values,
             const support::PrivateEnvironment &environment) {
  std::vector<pack::SecretSource> sources;
  auto read = visit_places(schema, values, [&](const Place &place) -> kit::Status {
    if (!place.value.is(Kind::string)) return {};
    const auto name_it = [&](const kit::Error &error) {
      return kit::fail(Code::config, "{}: {}", given.shown(place.pointer), error.message);
    };
    if (place.meaning.file_content && !place.meaning.is_hidden()) {
      auto content = read_content(place);
      if (!content) return name_it(content.error());
      return {};
    }
    if (!place.meaning.is_hidden()) return {};
    pack::SecretSource source;
    source.pointer = place.pointer;
    auto secret = read_reference(place, environment, source);
    if (!secret) return name_it(secret.error());
    if (auto tidied = tidy_secret(*secret); !tidied) return name_it(tidied.error());
    place.value.text = std::move(*secret);
    if (auto checked = check_secret(place); !checked) return name_it(checked.error());
    if (source.file.empty()) source.fixed = place.value.text;
    sources.push_back(std::move(source));
    return {};
  });
  if (!read) return pass_on(read);
  return sources;
}

} // namespace packhost::cli
