// SPDX-License-Identifier: MIT
// From "this keyword of this schema failed at this place" to a sentence that a model can act on.
#pragma once

#include "sdk/contract/validator.hpp"

#include <string_view>

namespace packhost::contract {

/// What the validator knows when a document does not fit. Pointers are JSON pointers.
struct Mismatch {
  std::string_view schema_pointer;
  std::string_view keyword;
  std::string_view document_pointer;
};

/// Names the field and the fault, never the value. Texts are checked JSON.
[[nodiscard]] Violation describe_mismatch(std::string_view schema, std::string_view document,
                                          const Mismatch &mismatch);

} // namespace packhost::contract
