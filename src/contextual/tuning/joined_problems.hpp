#pragma once

/// \file
/// What a journal says of the problems that have joined in a batch.

#include "contextual/agreement/problem_set.hpp"
#include "contextual/journal/batch_record.hpp"

#include <cstddef>

namespace contextual::tuning {

/// Describes the problems of the set from the one with index `before` on.
journal::Joined joined_problems(const agreement::ProblemSet& set, std::size_t before);

}  // namespace contextual::tuning
