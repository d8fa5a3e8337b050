// SPDX-License-Identifier: MIT
// Vice: one rule of the contract broken per tool, for the tests of the harness. Without the
// wrapper, since most of this is what the wrapper prevents.
#include "tests/packs/pieces.hpp"
#include "tests/packs/raw_pack.hpp"

#include <clocale>
#include <string>
#include <thread>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

// clang-format off
#define VICE(name, description) \
  R"(, {"name": ")" name R"(", "description": ")" description R"(", )" NO_ARGUMENTS "," READS "}"

PACKHOST_MANIFEST(R"json({
  "manifest": 1, "name": "vices", "version": "1.0.0", "abi": "1.0", "log_events": ["said"],
  "tools": [{"name": "none", "description": "Behave.", )json" NO_ARGUMENTS "," READS R"json(})json"
  VICE("two_json", "Add two structured results.")
  VICE("two_meta", "Add two META parts.")
  VICE("bare_meta", "Add a META part whose key has no prefix.")
  VICE("reserved_meta", "Add a META part under a reserved prefix.")
  VICE("meta_no_object", "Add a META part that is no object.")
  VICE("bad_text", "Add a text that is not UTF-8.")
  VICE("bad_json", "Add a structured result that is no JSON.")
  VICE("unknown_part", "Add a part of an unknown type.")
  VICE("progress_back", "Report progress that goes back.")
  VICE("chdir", "Change the working directory.")
  VICE("umask", "Change the umask.")
  VICE("locale", "Change the locale.")
  VICE("signal", "Install a signal handler.")
  VICE("print", "Write to descriptor 1.")
  VICE("leak_fd", "Open a descriptor and forget it.")
  VICE("leak_thread", "Start a thread that outlives shutdown.")
  VICE("log_args", "Log what the arguments say.")
  VICE("undeclared", "Log an event the manifest does not declare.")
  R"json(,
    {"name": "log_words", "description": "Log its words.",
     "input": {"type": "object", "additionalProperties": false, "properties": {
       "words": {"type": "string", "description": "Words"}}},
     )json" READS R"json(},
    {"name": "takes_all", "description": "Claim to check its input, and take anything.", "input_check": "pack",
     "input": {"type": "object", "additionalProperties": false, "required": ["words"], "properties": {
       "words": {"type": "string", "description": "Words"}}},
     )json" READS R"json(}
  ]
})json");

// clang-format on

class Vices {
public:
  explicit Vices(const packhost_host *host) : host_(host) {}

  packhost_status call(packhost_call *call, const packhost_request &request) {
    if (request.kind != PACKHOST_CALL_TOOL) return PACKHOST_E_UNSUPPORTED;
    const std::string name(packhost::to_view(request.name));
    if (!break_a_part_rule(call, name) && !break_a_process_rule(name)) {
      if (name == "leak_thread") {
        std::thread([] { pause(); }).detach();
      } else if (name == "log_args" || name == "log_words" || name == "undeclared") {
        log(name == "undeclared" ? "unsaid" : "said", packhost::to_view(request.args));
      } else if (name == "progress_back") {
        host_->call_progress(call, 5, 10, {nullptr, 0});
        host_->call_progress(call, 4, 10, {nullptr, 0});
      } else if (name != "none" && name != "takes_all") {
        return PACKHOST_E_NOT_FOUND;
      }
    }
    return add(call, "done");
  }

private:
  packhost_status add(packhost_call *call, std::string_view text,
                      std::uint32_t type = PACKHOST_PART_TEXT) {
    const packhost_part part = raw::text_part(text, type);
    return host_->call_add(call, &part);
  }

  void log(std::string_view event, std::string_view value) {
    packhost_field field{};
    field.key = packhost::to_str("value");
    field.type = PACKHOST_FIELD_STR;
    field.str = packhost::to_str(value);
    host_->log(host_, PACKHOST_LOG_INFO, packhost::to_str(event), &field, 1);
  }

  bool break_a_part_rule(packhost_call *call, const std::string &name) {
    if (name == "two_json" || name == "two_meta") {
      const bool is_json = name == "two_json";
      for (int i = 0; i < 2; ++i) {
        add(call, R"({"io.example/n": 1})", is_json ? PACKHOST_PART_JSON : PACKHOST_PART_META);
      }
    } else if (name == "bare_meta") {
      add(call, R"({"n": 1})", PACKHOST_PART_META);
    } else if (name == "reserved_meta") {
      add(call, R"({"io.modelcontextprotocol/n": 1})", PACKHOST_PART_META);
    } else if (name == "meta_no_object") {
      add(call, "[1]", PACKHOST_PART_META);
    } else if (name == "bad_text") {
      add(call, "a\xFFz");
    } else if (name == "bad_json") {
      add(call, "{\"n\": 1", PACKHOST_PART_JSON);
    } else if (name == "unknown_part") {
      add(call, "?", 77);
    } else {
      return false;
    }
    return true;
  }

  static bool break_a_process_rule(const std::string &name) {
    bool is_done = true;
    if (name == "chdir") {
      is_done = chdir("/") == 0;
    } else if (name == "umask") {
      umask(0);
    } else if (name == "locale") {
      is_done = std::setlocale(LC_ALL, "C.UTF-8") != nullptr;
    } else if (name == "signal") {
      is_done = signal(SIGUSR1, SIG_IGN) != SIG_ERR;
    } else if (name == "print") {
      is_done = write(STDOUT_FILENO, "stray\n", 6) == 6;
    } else if (name == "leak_fd") {
      is_done = open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0;
    } else {
      return false;
    }
    return is_done;
  }

  const packhost_host *host_;
};

RAW_PACK(Vices)
