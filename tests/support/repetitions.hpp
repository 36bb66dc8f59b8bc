#pragma once

/// \file
/// How often a test repeats what it does with other random numbers.

namespace contextual::test {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool address_sanitizer = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool address_sanitizer = true;
#else
inline constexpr bool address_sanitizer = false;
#endif
#else
inline constexpr bool address_sanitizer = false;
#endif

/// Returns a fifth of `all` under the address sanitizer, with which a process takes some 25 times as long: it
/// looks for what every repetition does wrong, and a build without it makes all of them.
template <typename Count>
constexpr Count repetitions(Count all) {
  return address_sanitizer ? all / 5 : all;
}

}  // namespace contextual::test
