// SPDX-License-Identifier: MIT
// Forms of names, byte by byte: no expression engine, no allocation where none is needed.
#include "sdk/contract/names.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace packhost::contract {

namespace {

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

bool is_letter(char c) {
  return is_lower(c) || (c >= 'A' && c <= 'Z');
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_word_char(char c) {
  return is_lower(c) || is_digit(c) || c == '_';
}

template <typename Is>
bool all(std::string_view text, Is is) {
  return std::all_of(text.begin(), text.end(), is);
}

bool is_among(std::string_view text, std::string_view characters) {
  return characters.find(text) != std::string_view::npos;
}

/// The piece up to `separator` (all of it without one), taken off the front with the separator.
std::string_view take_piece(std::string_view &rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view piece = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return piece;
}

/// True if all pieces between separators pass and none is missing.
template <typename Is>
bool all_pieces(std::string_view text, char separator, Is is) {
  if (text.empty() || text.back() == separator) return false;
  while (!text.empty()) {
    if (!is(take_piece(text, separator))) return false;
  }
  return true;
}

bool is_number(std::string_view text) {
  return !text.empty() && all(text, is_digit) && (text.size() == 1 || text[0] != '0');
}

bool is_identifier_char(char c) {
  return is_letter(c) || is_digit(c) || c == '-';
}

constexpr std::string_view kSlots[] = {"${tool_prefix}", "${alias}", "${scheme}"};
constexpr std::string_view kVariableSlots[] = {"${TOOL_PREFIX}", "${ALIAS}", "${SCHEME}"};

template <typename Slots>
std::string replace_slots(std::string_view text, const Slots &slots) {
  std::string result;
  while (!text.empty()) {
    bool is_slot = false;
    for (const std::string_view slot : slots) {
      if (!text.starts_with(slot)) continue;
      result.push_back('x');
      text.remove_prefix(slot.size());
      is_slot = true;
      break;
    }
    if (is_slot) continue;
    result.push_back(text[0]);
    text.remove_prefix(1);
  }
  return result;
}

/// Characters of a URI outside templates; a percent sign needs two hex digits.
bool are_uri_characters(std::string_view text) {
  constexpr std::string_view kMarks = "-._~:/?#[]@!$&'()*+,;=";
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) return false;
      i += 2;
    } else if (!is_letter(text[i]) && !is_digit(text[i]) &&
               kMarks.find(text[i]) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

bool is_plain_scheme(std::string_view text) {
  return !text.empty() && is_lower(text[0]) && all(text, [](char c) {
    return is_lower(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
  });
}

/// One expression of a template, without its braces.
bool read_expression(std::string_view expression, std::vector<std::string> &variables) {
  if (expression.empty()) return false;
  if (is_among(expression.substr(0, 1), "+#./;?&")) expression.remove_prefix(1);
  return all_pieces(expression, ',', [&variables](std::string_view variable) {
    if (variable.ends_with('*')) variable.remove_suffix(1);
    const std::size_t colon = variable.find(':');
    if (colon != std::string_view::npos) {
      const std::string_view length = variable.substr(colon + 1);
      if (!is_number(length) || length == "0" || length.size() > 4) return false;
      variable = variable.substr(0, colon);
    }
    const bool is_name = !variable.empty() && all(variable, [](char c) {
      return is_letter(c) || is_digit(c) || c == '_' || c == '.';
    });
    if (is_name) variables.emplace_back(variable);
    return is_name;
  });
}

} // namespace

bool is_reserved_word(std::string_view text) {
  constexpr std::array<std::string_view, 12> kWords{"serve", "call",         "packs",  "inspect",
                                                    "tools", "instructions", "doctor", "harness",
                                                    "check", "version",      "help",   "packhost"};
  return std::find(kWords.begin(), kWords.end(), text) != kWords.end();
}

bool is_pack_name(std::string_view text) {
  return !text.empty() && text.size() <= 12 && is_lower(text[0]) &&
         all(text, [](char c) { return is_lower(c) || is_digit(c); }) && !is_reserved_word(text);
}

bool is_tool_name(std::string_view text) {
  return !text.empty() && text.size() <= 36 && is_lower(text[0]) && all(text, is_word_char);
}

bool is_tool_prefix(std::string_view text) {
  if (text.empty()) return true;
  return text.size() >= 2 && text.size() <= 33 && is_lower(text[0]) && text.back() == '_' &&
         all(text, is_word_char);
}

bool is_option_name(std::string_view text) {
  return text.size() >= 2 && is_lower(text[0]) && all(text, is_word_char);
}

bool is_reserved_option(std::string_view text) {
  constexpr std::array<std::string_view, 7> kWords{"pack", "tool_prefix", "pack_sha256", "help",
                                                   "json", "dry_run",     "packhost"};
  return std::find(kWords.begin(), kWords.end(), text) != kWords.end();
}

bool is_version(std::string_view text) {
  const std::size_t plus = text.find('+');
  if (plus != std::string_view::npos) {
    const bool is_build = all_pieces(text.substr(plus + 1), '.', [](std::string_view piece) {
      return !piece.empty() && all(piece, is_identifier_char);
    });
    if (!is_build) return false;
    text = text.substr(0, plus);
  }
  const std::size_t dash = text.find('-');
  if (dash != std::string_view::npos) {
    const bool is_release = all_pieces(text.substr(dash + 1), '.', [](std::string_view piece) {
      if (piece.empty() || !all(piece, is_identifier_char)) return false;
      return !all(piece, is_digit) || is_number(piece);
    });
    if (!is_release) return false;
    text = text.substr(0, dash);
  }
  return std::count(text.begin(), text.end(), '.') == 2 && all_pieces(text, '.', is_number);
}

bool is_interface_id(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view revision = text.substr(slash + 1);
  const std::string_view name = text.substr(0, slash);
  return is_number(revision) && revision != "0" && name.find('.') != std::string_view::npos &&
         all_pieces(name, '.', [](std::string_view piece) {
           return !piece.empty() && is_lower(piece[0]) && all(piece, is_word_char);
         });
}

bool is_event_name(std::string_view text) {
  return text.size() <= 64 && all_pieces(text, '.', [](std::string_view piece) {
           return !piece.empty() && is_lower(piece[0]) && all(piece, is_word_char);
         });
}

bool is_command_name(std::string_view text) {
  return text.size() <= 64 && all_pieces(text, ' ', [](std::string_view word) {
           return !word.empty() && is_lower(word[0]) &&
                  all(word, [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
         });
}

bool is_prompt_name(std::string_view text) {
  return !text.empty() && text.size() <= 64 &&
         all(text, [](char c) { return is_identifier_char(c) || c == '_' || c == '.'; });
}

bool is_mime(std::string_view text) {
  const std::string_view type = text.substr(0, std::min(text.find(';'), text.size()));
  const std::size_t slash = type.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == type.size()) return false;
  const auto is_token_char = [](char c) {
    return is_letter(c) || is_digit(c) ||
           std::string_view("!#$&-^_.+").find(c) != std::string_view::npos;
  };
  const bool is_printable = all(text, [](char c) { return c >= ' ' && c <= '~'; });
  return all(type.substr(0, slash), is_token_char) && all(type.substr(slash + 1), is_token_char) &&
         is_printable;
}

bool is_variable_name(std::string_view text) {
  const std::string plain = replace_slots(text, kVariableSlots);
  return !plain.empty() && (is_letter(plain[0]) || plain[0] == '_') &&
         all(plain, [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

bool is_timestamp(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00";
  const auto fits = [](std::string_view part, std::string_view form) {
    return part.size() == form.size() &&
           std::equal(part.begin(), part.end(), form.begin(),
                      [](char c, char f) { return f == '0' ? is_digit(c) : c == f; });
  };
  if (!fits(text.substr(0, kForm.size()), kForm)) return false;
  std::string_view zone = text.substr(kForm.size());
  if (zone.starts_with('.')) {
    std::size_t end = 1;
    while (end < zone.size() && is_digit(zone[end])) ++end;
    if (end == 1) return false;
    zone.remove_prefix(end);
  }
  if (zone == "Z") return true;
  return fits(zone, "+00:00") || fits(zone, "-00:00");
}

std::string without_slots(std::string_view text) {
  return replace_slots(text, kSlots);
}

bool is_scheme(std::string_view text) {
  return is_plain_scheme(without_slots(text));
}

std::string_view scheme_of(std::string_view uri) {
  return uri.substr(0, std::min(uri.find(':'), uri.size()));
}

bool is_uri(std::string_view text) {
  const std::string plain = without_slots(text);
  const std::string_view scheme = scheme_of(plain);
  return scheme.size() + 1 < plain.size() && is_plain_scheme(scheme) && are_uri_characters(plain);
}

bool is_uri_template(std::string_view text, std::vector<std::string> &variables) {
  const std::string plain = without_slots(text);
  const std::string_view scheme = scheme_of(plain);
  if (scheme.size() + 1 >= plain.size() || !is_plain_scheme(scheme)) return false;
  std::string_view rest = plain;
  while (!rest.empty()) {
    const std::size_t open = std::min(rest.find('{'), rest.size());
    if (!are_uri_characters(rest.substr(0, open))) return false; // no closing brace either
    if (open == rest.size()) break;
    const std::size_t close = rest.find('}', open);
    if (close == std::string_view::npos) return false;
    if (!read_expression(rest.substr(open + 1, close - open - 1), variables)) return false;
    rest.remove_prefix(close + 1);
  }
  return !variables.empty();
}

} // namespace packhost::contract
