#pragma once

/// \file
/// Checks of the policy's options.

#include "contextual/policy/policy_options.hpp"

#include <cstdint>
#include <string>

namespace contextual::policy {

/// Throws InvalidArgument, which names the option, its value and the valid values.
void check_options(const PolicyOptions& options);

/// Throws InvalidArgument with the text `what` unless `fine`.
void require(bool fine, const std::string& what);

/// Throws InvalidArgument "option NAME = VALUE: it must be at least LEAST" if it is less.
void require_at_least(const std::string& name, std::int64_t value, std::int64_t least);

/// The largest value of every option that counts warm-ups, repeats, rounds and the like. It is far beyond
/// what a run can take, and so small that sums and products of a few counts do not overflow.
inline constexpr int largest_count = 1'000'000;

/// Throws InvalidArgument "option NAME = VALUE: it must be at least LEAST and at most 1000000" unless it is.
void require_count(const std::string& name, int value, int least);

}  // namespace contextual::policy
