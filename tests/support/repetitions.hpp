#pragma once

/// \file
/// How often a test repeats what it does with other random numbers.

#include <algorithm>
#include <cstdlib>

namespace contextual::test {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool has_sanitizer = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
inline constexpr bool has_sanitizer = true;
#else
inline constexpr bool has_sanitizer = false;
#endif
#else
inline constexpr bool has_sanitizer = false;
#endif

/// Returns `all` where the environment has TEST_REPETITIONS, which is set by hand, else a fifth, and of that
/// a fifth with a sanitizer, which takes ten times as long: the numbers are the same each time, so that what
/// these repetitions do not find, they do not find the next time either.
inline int repetitions(int all) {
  return std::getenv("TEST_REPETITIONS") != nullptr ? all : all / (has_sanitizer ? 25 : 5);
}

/// Returns `all`, but a fifth with a sanitizer, at least 6: for tests that run the same threads again, with
/// other numbers.
inline int repetitions_of_threads(int all) {
  return has_sanitizer ? std::min(all, std::max(6, all / 5)) : all;
}

}  // namespace contextual::test
