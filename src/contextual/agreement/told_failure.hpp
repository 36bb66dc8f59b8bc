#pragma once

/// \file
/// Some rank has said that it threw: all tell what they threw, and end alike.

#include "contextual/agreement/exchange.hpp"

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>

namespace contextual::agreement {

/// What this rank has to tell.
struct OwnFailure {
  std::exception_ptr thrown;                       ///< null: nothing failed here
  std::string cause;                               ///< its text
  std::optional<std::int64_t> tuning_iteration{};  ///< empty: before the first one
};

/// Collective. A rank that threw rethrows that unchanged, the others throw RegionFailedError for the first
/// rank that did. `told` is called once the others know. Throws RankMismatchError when no rank says that it
/// threw.
[[noreturn]] void throw_told_failure(Exchange& exchange, const std::string& region, const OwnFailure& own,
                                     const std::function<void()>& told = {});

}  // namespace contextual::agreement
