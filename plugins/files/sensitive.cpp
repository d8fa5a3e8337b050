// SPDX-License-Identifier: MIT
// See sensitive.hpp. Tables over branches: each rule is a list of names.
#include "plugins/files/sensitive.hpp"

#include "plugins/files/workspace/paths.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

namespace packhost::files {

namespace {

using Words = std::initializer_list<std::string_view>;

bool is_one_of(std::string_view word, Words words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// As a whole path or as its end behind a slash.
bool ends_with_path(std::string_view path, std::string_view end) {
  return path == end || (ends_with(path, end) && path[path.size() - end.size() - 1] == '/');
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t cut = text.find_first_of(separators);
    parts.push_back(text.substr(0, cut));
    if (cut == std::string_view::npos) return parts;
    text.remove_prefix(cut + 1);
  }
}

std::string_view extension_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(dot + 1);
}

/// Folders whose content is always sensitive.
std::optional<std::string_view> folder_rule(const std::vector<std::string_view> &components) {
  for (std::size_t i = 0; i < components.size(); ++i) {
    if (components[i] == ".ssh") return "ssh";
    if (components[i] == ".gnupg") return "gpg";
    if (i + 1 < components.size() &&
        is_one_of(components[i], {".aws", ".azure", ".gcloud", ".kube", ".docker"}) &&
        is_one_of(components[i + 1], {"credentials", "config", "config.json", "accesstokens.json"}))
      return "cloud";
  }
  return std::nullopt;
}

/// Examples, public halves and source code.
bool is_harmless(std::string_view name) {
  const std::vector<std::string_view> parts = split(name, ".");
  const auto is_sample = [](std::string_view part) {
    return is_one_of(part, {"example", "sample", "template", "tmpl", "dist", "defaults", "schema"});
  };
  if (parts.size() > 1 && is_sample(parts.back())) return true;
  if (parts.size() > 2 && is_sample(parts[parts.size() - 2])) return true;
  if (parts.size() > 1 && is_one_of(parts.back(), {"pub", "crt", "cer"})) return true;
  if (name == "known_hosts") return true;
  return parts.size() > 1 && !parts.front().empty() &&
         is_one_of(parts.back(), {"c",  "cc",  "cpp",   "h",   "hpp", "rs",   "go", "py",
                                  "js", "mjs", "ts",    "tsx", "jsx", "java", "kt", "cs",
                                  "rb", "php", "swift", "md",  "rst", "html", "css"});
}

bool is_credential_name(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const std::string_view extension = extension_of(name);
  if (dot != std::string_view::npos &&
      !is_one_of(extension,
                 {"json", "yaml", "yml", "toml", "ini", "cfg", "conf", "txt", "xml", "properties"}))
    return false;
  std::vector<std::string_view> words = split(name.substr(0, dot), ".-_");
  const auto is_stage = [](std::string_view word) {
    return is_one_of(word, {"prod", "production", "dev", "development", "staging", "stage", "test",
                            "local", "backup"});
  };
  if (words.size() > 1 && is_stage(words.front())) {
    words.erase(words.begin());
  } else if (words.size() > 1 && is_stage(words.back())) {
    words.pop_back();
  }
  std::string joined;
  for (const std::string_view word : words) {
    if (!joined.empty()) joined += ' ';
    joined += word;
  }
  return is_one_of(joined, {"credentials", "credential", "secrets", "secret", "service account",
                            "firebase adminsdk"});
}

std::optional<std::string_view> name_rule(std::string_view path, std::string_view name) {
  if (name == ".env" || name == ".envrc" || name.substr(0, 5) == ".env." || ends_with(name, ".env"))
    return "env";
  if (is_one_of(name, {"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk",
                       "authorized_keys"}))
    return "ssh";
  const std::string_view extension = extension_of(name);
  if (is_one_of(extension, {"pem", "key", "p12", "pfx", "jks", "keystore", "kdbx", "ppk"}))
    return "key";
  if (extension == "asc" && (name.find("private") != std::string_view::npos ||
                             name.find("secret") != std::string_view::npos))
    return "key";
  if (name == "application_default_credentials.json") return "cloud";
  if (is_one_of(name, {".netrc", "_netrc", ".pgpass", ".my.cnf", ".pypirc", ".git-credentials",
                       ".htpasswd", ".vault-token", ".s3cfg", ".boto", "hub.token"}))
    return "tool";
  for (const std::string_view end :
       {".config/gh/hosts.yml", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials",
        ".terraform.d/credentials.tfrc.json"}) {
    if (ends_with_path(path, end)) return "tool";
  }
  if (is_credential_name(name)) return "named";
  if (name == "terraform.tfstate" || ends_with(name, ".tfstate") ||
      ends_with(name, ".tfstate.backup"))
    return "state";
  return std::nullopt;
}

} // namespace

std::optional<std::string_view> sensitive_rule(std::string_view path) {
  std::string folded(path);
  std::transform(folded.begin(), folded.end(), folded.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
  });
  if (const auto rule = folder_rule(split(folded, "/"))) return rule;
  const std::string_view name = last_of(folded);
  if (is_harmless(name)) return std::nullopt;
  return name_rule(folded, name);
}

} // namespace packhost::files
