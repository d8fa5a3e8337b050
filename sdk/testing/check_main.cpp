// SPDX-License-Identifier: MIT
// packhost-check: whether a pack keeps the contract. Reads the command line, runs the checks,
// prints TAP or JSON.
#include "sdk/kit/json.hpp"
#include "sdk/testing/checks.hpp"
#include "sdk/testing/harness.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace packhost::testing {

namespace {

namespace json = kit::json;

constexpr int kConformant = 0;
constexpr int kNotConformant = 1;
constexpr int kUsage = 2;
constexpr int kCheckLimitMs = 60'000;
constexpr std::size_t kFirstOpening = 4; // checks until the pack was opened for the first time

constexpr char kHelp[] =
    "packhost-check PACK.so [--options JSON] [--json]\n"
    "\n"
    "Checks whether a tool pack keeps the contract of packhost.h. It reads the file, then opens "
    "the\n"
    "pack and calls everything its manifest names, with arguments made from the schemas; each "
    "check\n"
    "runs in a process of its own. The calls are real: give options that lead nowhere dear.\n"
    "\n"
    "  --options JSON  the options the pack is opened with; without it, they are made from the "
    "schema\n"
    "                  and their paths lead into a temporary directory\n"
    "  --json          one JSON document instead of TAP\n"
    "  --help          this text\n"
    "\n"
    "Ends with 0 when the pack is conformant, 1 when it is not, 2 for a wrong command line.\n";

struct Words {
  std::string file;
  std::optional<std::string> options;
  bool as_json = false;
  bool wants_help = false;
  std::string fault;
};

Words parse_words(int argc, char **argv) {
  Words words;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--json") {
      words.as_json = true;
    } else if (word == "--help") {
      words.wants_help = true;
    } else if (word == "--options" && i + 1 < argc) {
      words.options = argv[++i];
    } else if (word.rfind("--options=", 0) == 0) {
      words.options = word.substr(10);
    } else if (word.rfind('-', 0) == 0) {
      words.fault = "unknown or incomplete option '" + word + "'";
    } else if (words.file.empty()) {
      words.file = word;
    } else {
      words.fault = "more than one pack is named";
    }
  }
  if (words.file.empty() && words.fault.empty()) words.fault = "no pack is named";
  return words;
}

/// A directory for the paths in samples, removed at the end.
class Scratch {
public:
  Scratch() {
    path_ = std::filesystem::temp_directory_path().string() + "/packhost-check-XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no temporary directory");
    std::filesystem::create_directory(path_ + "/dir");
    std::ofstream(path_ + "/file.txt") << "a file of packhost-check\n";
  }

  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] SampleStyle style() const {
    SampleStyle style;
    style.directory = path_ + "/dir";
    style.file = path_ + "/file.txt";
    return style;
  }

private:
  std::string path_;
};

using Results = std::vector<std::pair<std::string, Findings>>;

void print_one(std::size_t number, const std::string &name, const Findings &found) {
  std::printf("%sok %zu - %s\n", found.problems.empty() ? "" : "not ", number, name.c_str());
  for (const std::string &problem : found.problems) std::printf("# %s\n", problem.c_str());
  for (const std::string &note : found.notes) std::printf("# note: %s\n", note.c_str());
  std::fflush(stdout);
}

void print_tap_end(const Results &results, std::size_t failed) {
  std::printf("1..%zu\n", results.size());
  if (failed == 0)
    std::printf("# conformant: %zu checks passed\n", results.size());
  else
    std::printf("# not conformant: %zu of %zu checks failed\n", failed, results.size());
}

void print_json(const Subject &subject, const Results &results, std::size_t failed) {
  std::string out;
  json::Writer writer(out);
  const auto list = [&](const char *key, const std::vector<std::string> &texts) {
    writer.key(key).begin_array();
    for (const std::string &text : texts) writer.string(text);
    writer.end_array();
  };
  writer.begin_object().string("file", subject.file);
  if (subject.manifest) {
    writer.string("pack", (*subject.manifest)->name)
        .string("version", (*subject.manifest)->version);
  }
  writer.boolean("conformant", failed == 0).key("checks").begin_array();
  for (const auto &[name, found] : results) {
    writer.begin_object().string("name", name).boolean("ok", found.problems.empty());
    list("problems", found.problems);
    list("notes", found.notes);
    writer.end_object();
  }
  writer.end_array().end_object();
  std::printf("%s\n", out.c_str());
}

int check(const Words &words) {
  const Scratch scratch;
  Subject subject;
  subject.file = std::filesystem::absolute(words.file).string();
  subject.style = scratch.style();
  try {
    subject.bytes = read_pack_file(subject.file);
  } catch (const OpenFailed &) {
    std::fprintf(stderr, "packhost-check: '%s' cannot be read\n", words.file.c_str());
    return kUsage;
  }

  if (!words.as_json) std::printf("TAP version 13\n");
  Results results;
  std::size_t failed = 0;
  const auto take = [&](const std::string &name, Findings found) {
    if (!found.problems.empty()) ++failed;
    results.emplace_back(name, std::move(found));
    if (!words.as_json) print_one(results.size(), name, results.back().second);
  };
  for (auto &[name, found] : check_file(subject)) take(name, std::move(found));
  if (subject.manifest && failed == 0) {
    const std::optional<std::string> made =
        make_sample((*subject.manifest)->options, subject.style);
    subject.options = words.options ? *words.options : made.value_or("{}");
    // A pack that cannot be opened says so once, in the first of them.
    for (const Check &one : list_checks(subject)) {
      take(one.name, run_in_fresh_process(one.run, kCheckLimitMs));
      if (results.size() == kFirstOpening && failed > 0) break;
    }
  }
  if (words.as_json)
    print_json(subject, results, failed);
  else
    print_tap_end(results, failed);
  return failed == 0 ? kConformant : kNotConformant;
}

} // namespace

int run(int argc, char **argv) {
  const Words words = parse_words(argc, argv);
  if (words.wants_help) {
    std::fputs(kHelp, stdout);
    return kConformant;
  }
  if (!words.fault.empty()) {
    std::fprintf(stderr, "packhost-check: %s\n\n%s", words.fault.c_str(), kHelp);
    return kUsage;
  }
  return check(words);
}

} // namespace packhost::testing

int main(int argc, char **argv) {
  try {
    return packhost::testing::run(argc, argv);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "packhost-check: %s\n", error.what());
    return 70;
  }
}
