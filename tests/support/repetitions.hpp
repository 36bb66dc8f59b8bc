#pragma once

/// \file
/// How often a test repeats what it does with other random numbers.

#include <algorithm>
#include <cstdlib>

namespace contextual::test {

/// Returns `all` where the environment has TEST_REPETITIONS, which is set by hand, else a fifth: the numbers
/// are the same each time, so that what these repetitions do not find, they do not find the next time either.
inline int repetitions(int all) {
  return std::getenv("TEST_REPETITIONS") != nullptr ? all : all / 5;
}

/// Returns `all`, but a fifth under g++'s thread sanitizer, at least 6: for tests that run the same threads
/// again, with other numbers, which takes ten times as long there.
inline int repetitions_of_threads(int all) {
#if defined(__SANITIZE_THREAD__)
  return std::min(all, std::max(6, all / 5));
#else
  return all;
#endif
}

}  // namespace contextual::test
