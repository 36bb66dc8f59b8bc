#pragma once

/// \file
/// Describes an exception for the log: its text, its type, and the ranks to look at.

#include <contextual/error.hpp>

#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace contextual::record {

struct Failure {
  std::string text;
  std::string type;               ///< the class of the library's exception; "region" for any other exception
  std::vector<int> blamed_ranks;  ///< the ranks that the exception names, else this rank
};

/// Describes an exception. Blames `own_rank` if the exception names no ranks.
Failure describe(const std::exception_ptr& thrown, int own_rank);

/// Returns the exception if it says that tuning has failed.
std::optional<TuningFailedError> tuning_failure(const std::exception_ptr& thrown);

}  // namespace contextual::record
