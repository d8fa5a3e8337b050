// SPDX-License-Identifier: MIT
// The checks of packhost-check that open the pack and call it.
#include "sdk/testing/checks.hpp"

#include "sdk/kit/json.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace packhost::testing {

namespace json = kit::json;

namespace {

constexpr int kPatienceMs = 10'000;
constexpr std::string_view kCanary = "canaryq7x4v";

/// One opened pack and what is found about it.
class Session {
public:
  explicit Session(const Subject &subject) : harness_(subject.file, setup_for(subject)) {}

  Harness &harness() { return harness_; }

  void problem(std::string text) { found_.problems.push_back(std::move(text)); }

  void note(std::string text) { found_.notes.push_back(std::move(text)); }

  /// A status that no pack may end a call with, whatever it was asked.
  void expect_sane(const Result &result, const std::string &asked) {
    if (result.status == PACKHOST_E_MISUSE) problem(asked + ": ended with E_MISUSE");
    if (result.status == PACKHOST_E_CONFIG)
      problem(asked + ": ended with E_CONFIG, which is for open()");
    if (result.status == PACKHOST_PENDING) problem(asked + ": did not end");
  }

  Findings end() {
    harness_.close();
    for (std::string &sentence : harness_.violations()) found_.problems.push_back(sentence);
    return std::move(found_);
  }

private:
  static Setup setup_for(const Subject &subject) {
    Setup setup;
    setup.options = subject.options;
    setup.patience_ms = kPatienceMs;
    return setup;
  }

  Harness harness_;
  Findings found_;
};

std::optional<std::string> good_args(const Subject &subject, const contract::ToolEntry &tool,
                                     bool full) {
  SampleStyle style = subject.style;
  style.full = full;
  return make_sample(tool.input, style);
}

/// The sample that the checks of one tool share: required arguments only, else the empty object.
std::string some_args(const Subject &subject, const contract::ToolEntry &tool) {
  return good_args(subject, tool, false).value_or("{}");
}

CallSetup unchecked() {
  CallSetup setup;
  setup.check_input = false;
  return setup;
}

// ---- the checks of one tool
// ------------------------------------------------------------------------

Findings valid_arguments(const Subject &subject, const contract::ToolEntry &tool) {
  Session session(subject);
  for (const bool full : {false, true}) {
    const std::optional<std::string> args = good_args(subject, tool, full);
    if (!args) {
      session.note(
          "no fitting arguments could be made from its schema; it was not called with any");
      continue;
    }
    const Result result = session.harness().tool(tool.name, *args);
    session.expect_sane(result, "valid arguments");
    if (result.status == PACKHOST_E_INTERNAL) {
      session.problem("valid arguments: ended with E_INTERNAL: " + result.error);
    }
    if (result.status == PACKHOST_E_UNSUPPORTED) {
      session.problem("valid arguments: ended with E_UNSUPPORTED; is the tool registered?");
    }
  }
  return session.end();
}

Findings wrong_arguments(const Subject &subject, const contract::ToolEntry &tool) {
  Session session(subject);
  for (const BadSample &bad : make_bad_samples(tool.input, some_args(subject, tool))) {
    const Result result = session.harness().tool(tool.name, bad.json, unchecked());
    session.expect_sane(result, bad.what);
    // A pack may take null for absent.
    const bool is_null = bad.what.size() > 8 && bad.what.substr(bad.what.size() - 8) == " is null";
    if (tool.pack_checks_input && bad.breaks_schema && !is_null && result.status == PACKHOST_OK) {
      session.problem(bad.what +
                      ": taken, though the manifest says that the pack checks its input");
    }
  }
  return session.end();
}

Findings cancelled_before(const Subject &subject, const contract::ToolEntry &tool) {
  Session session(subject);
  CallSetup setup = unchecked();
  setup.cancelled_at_start = true;
  session.expect_sane(session.harness().tool(tool.name, some_args(subject, tool), setup),
                      "cancelled before it started");
  return session.end();
}

Findings cancelled_midway(const Subject &subject, const contract::ToolEntry &tool) {
  Session session(subject);
  Running running =
      session.harness().start(PACKHOST_CALL_TOOL, tool.name, some_args(subject, tool), unchecked());
  std::this_thread::sleep_for(std::chrono::milliseconds(5)); // whereabouts it is then is all one
  running.cancel();
  session.expect_sane(running.wait(), "cancelled midway");
  return session.end();
}

Findings past_deadline(const Subject &subject, const contract::ToolEntry &tool) {
  Session session(subject);
  CallSetup setup = unchecked();
  setup.deadline_ms = -1'000;
  session.expect_sane(session.harness().tool(tool.name, some_args(subject, tool), setup),
                      "a deadline in the past");
  return session.end();
}

Findings one_byte_limit(const Subject &subject, const contract::ToolEntry &tool) {
  Session session(subject);
  CallSetup setup = unchecked();
  setup.max_result_bytes = 1;
  const Result result = session.harness().tool(tool.name, some_args(subject, tool), setup);
  session.expect_sane(result, "a result limit of 1 byte");
  if (result.status == PACKHOST_E_INTERNAL) {
    session.problem("a result limit of 1 byte: ended with E_INTERNAL instead of E_LIMIT: " +
                    result.error);
  }
  return session.end();
}

Findings pending_at_shutdown(const Subject &subject, const contract::ToolEntry &tool) {
  Session session(subject);
  for (int i = 0; i < 2; ++i) {
    session.harness().start(PACKHOST_CALL_TOOL, tool.name, some_args(subject, tool), unchecked());
  }
  return session.end();
}

Findings log_canaries(const Subject &subject, const contract::ToolEntry &tool) {
  Session session(subject);
  SampleStyle style = subject.style;
  style.full = true;
  style.word = kCanary;
  const std::optional<std::string> args = make_sample(tool.input, style);
  if (!args || args->find(kCanary) == std::string::npos) {
    session.note("its arguments have no room for a canary");
    return session.end();
  }
  session.harness().tool(tool.name, *args, unchecked());
  for (const LogLine &line : session.harness().log()) {
    for (const auto &[key, value] : line.fields) {
      if (value.find(kCanary) == std::string::npos) continue;
      session.problem("logs what stood in its arguments: event '" + line.event + "', field '" +
                      key + "'");
    }
  }
  return session.end();
}

Findings unknown_flags(const Subject &subject, const contract::ToolEntry &tool) {
  Session session(subject);
  CallSetup setup = unchecked();
  setup.flags = 0xFFFFFFFCU;
  const std::string args = some_args(subject, tool);
  const Result plain = session.harness().tool(tool.name, args, unchecked());
  const Result flagged = session.harness().tool(tool.name, args, setup);
  session.expect_sane(flagged, "unknown flag bits");
  if (plain.status == PACKHOST_OK && flagged.status == PACKHOST_E_UNSUPPORTED) {
    session.problem("unknown flag bits: refused instead of ignored");
  }
  return session.end();
}

// ---- the checks of the pack
// ------------------------------------------------------------------------

Findings opens_twice(const Subject &subject) {
  Findings found;
  for (int i = 0; i < 2; ++i) {
    Session session(subject);
    for (std::string &problem : session.end().problems)
      found.problems.push_back(std::move(problem));
  }
  return found;
}

Findings lists(const Subject &subject) {
  Session session(subject); // asks about and every list once
  const contract::Manifest &manifest = **subject.manifest;
  const std::pair<bool, std::uint32_t> rows[] = {
      {manifest.dynamic_tools, PACKHOST_CHANGED_TOOLS},
      {manifest.dynamic_resources, PACKHOST_CHANGED_RESOURCES},
      {manifest.dynamic_prompts, PACKHOST_CHANGED_PROMPTS}};
  for (const auto &[is_dynamic, which] : rows) {
    if (is_dynamic) session.harness().catalog(which);
  }
  return session.end();
}

Findings unknown_names(const Subject &subject) {
  Session session(subject);
  const auto expect = [&](const Result &result, const std::string &asked,
                          bool must_be_unsupported) {
    session.expect_sane(result, asked);
    if (result.status >= 0 || result.status == PACKHOST_E_INTERNAL) {
      session.problem(asked + ": ended with " + std::to_string(result.status));
    } else if (must_be_unsupported && result.status != PACKHOST_E_UNSUPPORTED) {
      session.problem(asked + ": ended with " + std::to_string(result.status) +
                      " instead of E_UNSUPPORTED");
    }
  };
  Harness &harness = session.harness();
  expect(harness.tool("packhost_check_unknown"), "an unknown tool", false);
  expect(harness.command("packhost.check.unknown"), "an unknown command", false);
  expect(harness.resource("packhost-check://unknown"), "an unknown resource", false);
  expect(harness.prompt("packhost_check_unknown"), "an unknown prompt", false);
  expect(harness.start(4242, "x", "{}").wait(), "an unknown kind of call", true);
  return session.end();
}

/// The template with every expression replaced by a word.
std::string fill_template(const std::string &uri) {
  std::string out;
  for (std::size_t at = 0; at < uri.size(); ++at) {
    if (uri[at] != '{') {
      out += uri[at];
      continue;
    }
    const std::size_t end = uri.find('}', at);
    const char first = at + 1 < uri.size() ? uri[at + 1] : '}';
    if (first != '?' && first != '&' && first != '#') out += "packhost-check";
    at = end == std::string::npos ? uri.size() : end;
  }
  return out;
}

Findings resources(const Subject &subject) {
  Session session(subject);
  const contract::Manifest &manifest = **subject.manifest;
  const auto read = [&](const std::string &uri) {
    const Result result = session.harness().resource(uri);
    session.expect_sane(result, uri);
    if (result.status == PACKHOST_E_INTERNAL) {
      session.problem(uri + ": ended with E_INTERNAL: " + result.error);
    }
  };
  for (const contract::ResourceEntry &resource : manifest.resources) {
    if (resource.uri.find("${") == std::string::npos) read(resource.uri);
  }
  for (const contract::ResourceEntry &entry : manifest.templates) {
    if (entry.uri.find("${") == std::string::npos) read(fill_template(entry.uri));
  }
  return session.end();
}

void complete(Session &session, const std::string &name, const char *kind,
              const std::vector<std::string> &arguments) {
  for (const std::string &argument : arguments) {
    std::string args;
    json::Writer writer(args);
    writer.begin_object().string("kind", kind).string("argument", argument).string("value", "a");
    writer.key("arguments").begin_object().end_object().end_object();
    const Result result = session.harness().complete(name, args);
    session.expect_sane(result, "completion of " + argument);
    if (result.status == PACKHOST_E_UNSUPPORTED) {
      session.problem("completion of " + argument +
                      ": ended with E_UNSUPPORTED; is it registered?");
    }
  }
}

Findings prompts(const Subject &subject) {
  Session session(subject);
  const contract::Manifest &manifest = **subject.manifest;
  for (const contract::PromptEntry &prompt : manifest.prompts) {
    std::string args;
    json::Writer writer(args);
    writer.begin_object();
    for (const contract::PromptArgument &argument : prompt.arguments) {
      writer.string(argument.name, "a");
    }
    writer.end_object();
    const Result result = session.harness().prompt(prompt.name, args);
    session.expect_sane(result, prompt.name);
    if (result.status == PACKHOST_E_UNSUPPORTED) {
      session.problem(prompt.name + ": ended with E_UNSUPPORTED; is it registered?");
    }
    complete(session, prompt.name, "prompt", prompt.complete);
  }
  for (const contract::ResourceEntry &entry : manifest.templates) {
    complete(session, entry.uri, "template", entry.complete);
  }
  return session.end();
}

using ToolCheck = Findings (*)(const Subject &, const contract::ToolEntry &);
using PackCheck = Findings (*)(const Subject &);

constexpr std::pair<const char *, ToolCheck> kToolChecks[] = {
    {"valid arguments", &valid_arguments},
    {"wrong arguments", &wrong_arguments},
    {"cancelled before its start", &cancelled_before},
    {"cancelled midway", &cancelled_midway},
    {"deadline in the past", &past_deadline},
    {"result limit of 1 byte", &one_byte_limit},
    {"unknown flag bits", &unknown_flags},
    {"shutdown with pending calls", &pending_at_shutdown},
    {"arguments stay out of the log", &log_canaries}};

constexpr std::pair<const char *, PackCheck> kPackChecks[] = {
    {"pack: opens and shuts down twice", &opens_twice},
    {"pack: about and lists", &lists},
    {"pack: unknown names and kinds", &unknown_names},
    {"pack: resources and templates", &resources},
    {"pack: prompts and completion", &prompts}};

} // namespace

std::vector<Check> list_checks(const Subject &subject) {
  std::vector<Check> checks;
  for (const auto &[name, run] : kPackChecks) {
    checks.push_back({name, [run = run, &subject] { return run(subject); }});
  }
  for (const contract::ToolEntry &tool : (*subject.manifest)->tools) {
    for (const auto &[name, run] : kToolChecks) {
      checks.push_back({"tool " + tool.name + ": " + name,
                        [run = run, &subject, &tool] { return run(subject, tool); }});
    }
  }
  return checks;
}

} // namespace packhost::testing
