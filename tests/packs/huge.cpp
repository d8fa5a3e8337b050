// SPDX-License-Identifier: MIT
// Vice: results of any size, also above the limit; hands buffers over and counts what comes back.
#include "tests/packs/pieces.hpp"

#include <packhost/json.hpp>

#include <algorithm>
#include <atomic>
#include <memory>

// clang-format off
#define SIZE_INPUT \
  R"("input": {"type": "object", "additionalProperties": false, "required": ["bytes"], "properties": {)" \
  R"("bytes": {"type": "integer", "minimum": 0, "maximum": 268435456, "description": "How many"},)" \
  R"("how": {"type": "string", "enum": ["released", "borrowed", "append", "blob"], "default": "released",)" \
  R"( "description": "How the bytes are given"}}})"

PACKHOST_MANIFEST(R"json({
  "manifest": 1, "name": "huge", "version": "1.0.0", "abi": "1.0",
  "tools": [
    {"name": "huge", "description": "Answer with many bytes under the common limit.", )json"
      SIZE_INPUT "," READS R"json(},
    {"name": "wide", "description": "Answer with many bytes under the highest limit.", )json"
      SIZE_INPUT R"json(, "limits": {"max_result_bytes": 4194304}, )json" READS R"json(},
    {"name": "insist", "description": "Go on adding after the limit, and answer OK.", )json"
      SIZE_INPUT "," READS R"json(},
    {"name": "counts", "description": "How many buffers were handed over and given back.", )json"
      NO_ARGUMENTS "," READS R"json(}
  ]
})json");

// clang-format on

class Huge : public packhost::Pack {
public:
  explicit Huge(packhost::Open &) {
    tool("huge", &Huge::huge);
    tool("wide", &Huge::huge);
    tool("insist", &Huge::insist);
    tool("counts", &Huge::counts);
  }

private:
  struct Lent {
    Huge *pack;
    std::unique_ptr<char[]> bytes;
  };

  static void give_back(void *context, const void *, size_t) {
    const std::unique_ptr<Lent> lent(static_cast<Lent *>(context));
    ++lent->pack->given_back_;
  }

  /// Hands over `size` times the letter x. RETURNS: the host's answer.
  packhost_status hand_over(packhost::Call &call, std::uint32_t type, std::size_t size) {
    auto lent = std::make_unique<Lent>(Lent{this, std::make_unique<char[]>(size + 1)});
    std::fill_n(lent->bytes.get(), size, 'x');
    packhost_part part{};
    part.struct_size = static_cast<std::uint32_t>(sizeof(part));
    part.type = type;
    part.data = {lent->bytes.get(), size, &give_back, lent.get()};
    ++handed_over_;
    static_cast<void>(lent.release()); // give_back() deletes it
    return call.host().raw()->call_add(call.raw(), &part);
  }

  static std::size_t size_in(const packhost::Args &args) {
    const std::int64_t bytes = args.integer("bytes");
    if (bytes < 0 || bytes > 268'435'456) {
      throw packhost::Error(PACKHOST_E_INVALID_ARGS, "'bytes' is out of range");
    }
    return static_cast<std::size_t>(bytes);
  }

  void huge(packhost::Call &call) {
    const packhost::Args args(call.args());
    const std::size_t size = size_in(args);
    const std::string how = args.str("how", "released");
    if (how == "borrowed") {
      call.text(std::string_view(std::string(size, 'x')));
    } else if (how == "append") {
      const std::string chunk(4096, 'x');
      call.text("");
      for (std::size_t left = size; left > 0; left -= std::min(left, chunk.size())) {
        call.append(std::string_view(chunk).substr(0, std::min(left, chunk.size())));
      }
    } else {
      const std::uint32_t type = how == "blob" ? PACKHOST_PART_BLOB : PACKHOST_PART_TEXT;
      const packhost_status status = hand_over(call, type, size);
      if (status != PACKHOST_OK) throw packhost::Error(status, "the result is too large");
    }
  }

  void insist(packhost::Call &call) {
    const std::size_t size = size_in(packhost::Args(call.args()));
    for (int i = 0; i < 3; ++i) hand_over(call, PACKHOST_PART_TEXT, size);
  }

  void counts(packhost::Call &call) {
    call.text(std::to_string(handed_over_.load()) + " " + std::to_string(given_back_.load()));
  }

  std::atomic<int> handed_over_{0};
  std::atomic<int> given_back_{0};
};

PACKHOST_PACK(Huge)
