// SPDX-License-Identifier: MIT
// What a schema of a manifest says to an operator.
#include "host/cli/option_schema.hpp"

#include <algorithm>
#include <charconv>

namespace packhost::cli {

using kit::Code;
using kit::json::Kind;

namespace {

bool has_true(const Node &object, std::string_view key) {
  const Node *member = object.find(key);
  return member != nullptr && member->is_true();
}

FieldType read_type(const Node *schema) {
  if (schema == nullptr) return FieldType::text;
  std::string_view name = schema->find_string("type");
  const Node *type = schema->find("type");
  if (type != nullptr && type->is(Kind::array)) {
    // A list of types: the first that is not null decides what a flag's text means.
    for (const Node &each : type->elements)
      if (name.empty() && each.text != "null") name = each.text;
  }
  if (name == "integer") return FieldType::integer;
  if (name == "number") return FieldType::number;
  if (name == "boolean") return FieldType::boolean;
  if (name == "array") return FieldType::array;
  if (name == "object") return FieldType::object;
  return FieldType::text;
}

Field read_field(const std::string &name, const Node &schema) {
  Field field;
  field.name = name;
  field.type = read_type(&schema);
  field.meaning = read_meaning(schema);
  if (field.type == FieldType::array) {
    const Node *items = schema.find("items");
    field.element = read_type(items);
    // What stands at the elements holds for the option, too (a list of directories).
    if (items != nullptr && field.meaning.path == HostMeaning::Path::none) {
      const HostMeaning element = read_meaning(*items);
      field.meaning.path = element.path;
      field.meaning.secret = field.meaning.secret || element.secret;
      field.meaning.must_exist = field.meaning.must_exist || element.must_exist;
    }
  }
  field.description = schema.find_string("description");
  if (const Node *fallback = schema.find("default")) field.default_value = write_tree(*fallback);
  if (const Node *choices = schema.find("enum"))
    for (const Node &choice : choices->elements)
      if (choice.is(Kind::string)) field.choices.push_back(choice.text);
  field.is_negated = field.type == FieldType::boolean && field.default_value == "true";
  field.flag = (field.is_negated ? "no-" : "") + name;
  std::replace(field.flag.begin(), field.flag.end(), '_', '-');
  return field;
}

kit::Result<Node> read_flag_text(FieldType type, const std::string &text) {
  Node value = Node::string(text);
  switch (type) {
  case FieldType::integer: {
    std::int64_t number = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || rest != text.data() + text.size())
      return kit::fail(Code::invalid_args, "must be a whole number");
    value.kind = Kind::number;
    value.text = fmt::format("{}", number);
    return value;
  }
  case FieldType::number:
    if (!kit::json::check(text) || kit::json::Value(text).kind() != Kind::number)
      return kit::fail(Code::invalid_args, "must be a number");
    value.kind = Kind::number;
    value.text = kit::json::Value(text).text();
    return value;
  case FieldType::boolean:
    if (text != "true" && text != "false")
      return kit::fail(Code::invalid_args, "must be true or false");
    value.kind = Kind::boolean;
    return value;
  case FieldType::text:
  case FieldType::array:
  case FieldType::object:
    break;
  }
  return value;
}

const Node *schema_of_member(const Node &schema, const std::string &key) {
  const Node *properties = schema.find("properties");
  const Node *member = properties != nullptr ? properties->find(key) : nullptr;
  if (member != nullptr) return member;
  const Node *others = schema.find("additionalProperties");
  return others != nullptr && others->is(Kind::object) ? others : nullptr;
}

kit::Status visit_below(const Node &schema, Node &value, const std::string &pointer,
                        const std::function<kit::Status(const Place &)> &visit);

kit::Status visit_one(const Node *schema, Node &value, const std::string &pointer,
                      const std::function<kit::Status(const Place &)> &visit) {
  if (schema == nullptr) return {};
  if (schema->find("x-packhost") != nullptr) {
    const HostMeaning meaning = read_meaning(*schema);
    auto visited = visit(Place{pointer, meaning, *schema, value});
    if (!visited) return visited;
  }
  return visit_below(*schema, value, pointer, visit);
}

// Depth is bounded by the schema's, which the manifest's check limits to 16.
kit::Status visit_below(const Node &schema, Node &value, const std::string &pointer,
                        const std::function<kit::Status(const Place &)> &visit) {
  if (value.is(Kind::object)) {
    for (auto &[key, member] : value.members) {
      auto visited =
          visit_one(schema_of_member(schema, key), member, pointer_to(pointer, key), visit);
      if (!visited) return visited;
    }
  }
  if (value.is(Kind::array)) {
    const Node *items = schema.find("items");
    for (std::size_t i = 0; i < value.elements.size(); ++i) {
      auto visited = visit_one(items, value.elements[i], fmt::format("{}/{}", pointer, i), visit);
      if (!visited) return visited;
    }
  }
  return {};
}

} // namespace

HostMeaning read_meaning(const Node &schema) {
  HostMeaning meaning;
  const Node *host = schema.find("x-packhost");
  if (host == nullptr || !host->is(Kind::object)) return meaning;
  const std::string_view path = host->find_string("path");
  if (path == "directory") meaning.path = HostMeaning::Path::directory;
  if (path == "file") meaning.path = HostMeaning::Path::file;
  meaning.must_exist = has_true(*host, "must_exist");
  meaning.secret = has_true(*host, "secret");
  const std::string_view from = host->find_string("secret_from");
  if (from == "file") meaning.secret_from = HostMeaning::SecretFrom::file;
  if (from == "env") meaning.secret_from = HostMeaning::SecretFrom::variable;
  meaning.file_content = has_true(*host, "file_content");
  meaning.options_file = has_true(*host, "options_file");
  meaning.dir = host->find_string("dir");
  if (const Node *excludes = host->find("excludes"))
    for (const Node &name : excludes->elements) meaning.excludes.push_back(name.text);
  if (const Node *positional = host->find("positional"))
    std::from_chars(positional->text.data(), positional->text.data() + positional->text.size(),
                    meaning.positional);
  return meaning;
}

std::vector<Field> read_fields(const Node &schema) {
  std::vector<Field> fields;
  const Node *properties = schema.find("properties");
  if (properties == nullptr) return fields;
  for (const auto &[name, member] : properties->members) fields.push_back(read_field(name, member));
  if (const Node *required = schema.find("required"))
    for (const Node &name : required->elements)
      for (Field &field : fields)
        if (field.name == name.text) field.is_required = true;
  return fields;
}

const Field *find_field(const std::vector<Field> &fields, std::string_view name) {
  const auto field = std::find_if(fields.begin(), fields.end(),
                                  [name](const Field &each) { return each.name == name; });
  return field == fields.end() ? nullptr : &*field;
}

const Field *find_field_of_flag(const std::vector<Field> &fields, std::string_view flag) {
  const auto field = std::find_if(fields.begin(), fields.end(), [flag](const Field &each) {
    return each.has_flag() && each.meaning.positional == 0 && each.flag == flag;
  });
  return field == fields.end() ? nullptr : &*field;
}

std::string shown_word(const Field &field) {
  std::string word = field.name;
  std::transform(word.begin(), word.end(), word.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return word;
}

std::vector<FlagSpec> flags_of(const std::vector<Field> &fields) {
  std::vector<FlagSpec> flags;
  for (const Field &field : fields)
    if (field.has_flag() && field.meaning.positional == 0)
      flags.push_back({field.flag, field.type != FieldType::boolean});
  return flags;
}

kit::Status add_flag_value(Node &object, const Field &field, const GivenFlag &flag) {
  const bool is_array = field.type == FieldType::array;
  if (!is_array && object.find(field.name) != nullptr)
    return kit::fail(Code::invalid_args, "--{} is given twice", flag.name);
  if (field.type == FieldType::boolean) {
    object.set(field.name, Node::boolean(!field.is_negated));
    return {};
  }
  auto value = read_flag_text(is_array ? field.element : field.type, flag.value);
  if (!value) return kit::fail(Code::invalid_args, "--{} {}", flag.name, value.error().message);
  if (!is_array) {
    object.set(field.name, std::move(*value));
    return {};
  }
  Node *list = object.find(field.name);
  if (list == nullptr) list = &object.set(field.name, Node::array());
  list->elements.push_back(std::move(*value));
  return {};
}

kit::Status visit_places(const Node &schema, Node &value,
                         const std::function<kit::Status(const Place &)> &visit) {
  return visit_below(schema, value, "", visit);
}

} // namespace packhost::cli
