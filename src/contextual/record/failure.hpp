#pragma once

/// \file
/// What an exception says for the log: text, type, and the ranks to look at.

#include <exception>
#include <string>
#include <vector>

namespace contextual::record {

struct Failure {
  std::string text;
  std::string type;               ///< the library's class; "region" for what is not the library's
  std::vector<int> blamed_ranks;  ///< as far as the exception knows, else this rank
};

/// `own_rank` is blamed where the exception names nobody else.
Failure describe(const std::exception_ptr& thrown, int own_rank);

/// The text of any exception.
std::string text_of(const std::exception_ptr& thrown);

}  // namespace contextual::record
