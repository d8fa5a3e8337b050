// SPDX-License-Identifier: MIT
// SHA-256 against the published vectors.
#include "sdk/kit/sha256.hpp"

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

namespace packhost::kit {

TEST_SUITE("kit/sha256") {
  TEST_CASE("the digests are those of FIPS 180-4") {
    CHECK(sha256_hex("").value() ==
          "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256_hex("abc").value() ==
          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256_hex(std::string(1'000'000, 'a')).value() ==
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  }

  TEST_CASE("a digest in pieces is the digest of the whole, also after a move") {
    Result<Sha256> begun = Sha256::begin();
    REQUIRE(begun);
    begun->update("a");
    Sha256 moved = std::move(*begun);
    moved.update("bc");
    CHECK(moved.hex() == sha256_hex("abc").value());
  }

  TEST_CASE("the first use may come from several threads at once") {
    std::vector<std::string> digests(4);
    std::vector<std::thread> threads;
    for (std::string &digest : digests) {
      threads.emplace_back([&digest] { digest = sha256_hex("abc").value_or("failed"); });
    }
    for (std::thread &thread : threads) thread.join();
    for (const std::string &digest : digests) CHECK(digest.starts_with("ba7816bf"));
  }
}

} // namespace packhost::kit
