#pragma once

/// \file
/// How often a test repeats what it does with other random numbers.

#include <cstdlib>

namespace contextual::test {

/// Returns `all` where the environment has TEST_REPETITIONS, which is for by hand, else a fifth:
/// the numbers are the same each time, so that what these repetitions do not find, they do not find the next
/// time either. Under the thread sanitizer, with which they take ten times as long, a twenty-fifth, as each
/// of them starts the same threads.
inline int repetitions(int all) {
#if defined(__SANITIZE_THREAD__)
  constexpr int fewer = 25;
#else
  constexpr int fewer = 5;
#endif
  return std::getenv("TEST_REPETITIONS") != nullptr ? all : all / fewer;
}

}  // namespace contextual::test
