#pragma once

/// \file
/// Random numbers that are the same on every rank, compiler and C library.

#include <cstdint>

namespace contextual::policy::search {

/// Returns a word in which every bit depends on every bit of `x`: the finaliser of SplitMix64 (Steele, Lea
/// and Flood, "Fast splittable pseudorandom number generators", 2014).
constexpr std::uint64_t mixed(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

constexpr std::uint64_t mixed(std::uint64_t a, std::uint64_t b) noexcept {
  return mixed(a ^ mixed(b));
}

/// Returns a number that only depends on `key` and over all keys has nearly the standard normal distribution:
/// the sum of twelve uniform numbers. Needs no function of the C library, whose last bit differs between
/// processors.
constexpr double standard_normal(std::uint64_t key) noexcept {
  double sum = -6.0 + 6.0 / 65536.0;
  for (int word = 0; word < 3; ++word) {
    key = mixed(key);
    for (unsigned part = 0; part < 4; ++part) {
      sum += static_cast<double>((key >> (16U * part)) & 0xffffU) / 65536.0;
    }
  }
  return sum;
}

/// The same with the sum of four uniform numbers, for those of which several are added up. Its variance is 1.
constexpr double coarse_normal(std::uint64_t key) noexcept {
  constexpr double square_root_of_3 = 1.7320508075688772;
  double sum = -2.0 + 2.0 / 65536.0;
  key = mixed(key);
  for (unsigned part = 0; part < 4; ++part) {
    sum += static_cast<double>((key >> (16U * part)) & 0xffffU) / 65536.0;
  }
  return square_root_of_3 * sum;
}

/// A sequence of random words. A value type.
class RandomWords {
 public:
  explicit constexpr RandomWords(std::uint64_t seed) noexcept : state_(mixed(seed)) {}

  constexpr std::uint64_t next() noexcept { return state_ = mixed(state_); }
  /// Returns a number below `count`, which is at least 1. The bias is below count / 2^64.
  constexpr std::uint64_t below(std::uint64_t count) noexcept { return next() % count; }

 private:
  std::uint64_t state_;
};

}  // namespace contextual::policy::search
