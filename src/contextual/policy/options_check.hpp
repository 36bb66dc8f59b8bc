#pragma once

/// \file
/// Which options make sense.

#include "contextual/policy/policy_options.hpp"

#include <cstdint>
#include <string>

namespace contextual::policy {

/// Throws InvalidArgument naming the option, its value and what it may be.
void check_options(const PolicyOptions& options);

/// Throws InvalidArgument with this text unless `fine`.
void require(bool fine, const std::string& what);

/// Throws InvalidArgument "option NAME = VALUE: it must be at least LEAST" when it is less.
void require_at_least(const std::string& name, std::int64_t value, std::int64_t least);

/// The largest value of every option that counts warm-ups, repeats, rounds and the like. Far beyond what a
/// run can take, and small enough that sums and products of a few counts fit everywhere.
inline constexpr int largest_count = 1'000'000;

/// Throws InvalidArgument "option NAME = VALUE: it must be at least LEAST and at most 1000000" when the count
/// is outside of that.
void require_count(const std::string& name, int value, int least);

}  // namespace contextual::policy
