// SPDX-License-Identifier: MIT
// Packs from the future against this host's contract.
#include <packhost/testing.hpp>

#include <doctest/doctest.h>

using packhost::testing::Harness;
using packhost::testing::OpenFailed;

namespace {

std::string refusal_of(const std::string &file) {
  try {
    const Harness pack(file);
  } catch (const OpenFailed &refused) {
    return refused.what();
  }
  return "it was opened";
}

} // namespace

TEST_SUITE("abi/forward") {
  TEST_CASE("a pack that needs the next minor is refused in the words of the interface") {
    CHECK(refusal_of(PACKHOST_FORWARD_NEEDS) ==
          "cannot load needs_next.so: it needs pack ABI 1.1; this packhost speaks 1.0. Upgrade "
          "packhost to a version that has ABI 1.1");
  }

  TEST_CASE("a pack made with the next header that asks first runs on this host") {
    Harness pack(PACKHOST_FORWARD_ASKS);
    const auto result = pack.tool("ask");
    CHECK(result.status == PACKHOST_OK);
    CHECK(result.text() == "old host");
    pack.close();
    CHECK(pack.violations() == std::vector<std::string>{});
  }
}
