#pragma once

/// \file
/// How often a test repeats what it does with other random numbers.

#include <cstdlib>

namespace contextual::test {

/// Returns `all` where the environment has CONTEXTUAL_TEST_REPETITIONS, which is for by hand, else a fifth:
/// the numbers are the same each time, so that what these repetitions do not find, they do not find the next
/// time either.
inline int repetitions(int all) {
  return std::getenv("CONTEXTUAL_TEST_REPETITIONS") != nullptr ? all : all / 5;
}

}  // namespace contextual::test
