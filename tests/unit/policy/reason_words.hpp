#pragma once

/// \file
/// What tests compare of the reasons of policy: the words that record has for them.

#include "contextual/record/reason_text.hpp"

#include <optional>
#include <string>

namespace contextual::policy::test {

inline std::string text(const Reason& reason) {
  return record::reason_text(reason);
}

inline std::string text(const std::optional<Reason>& rejection) {
  return rejection ? record::reason_text(*rejection) : "not rejected";
}

}  // namespace contextual::policy::test
