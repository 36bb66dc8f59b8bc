#pragma once

/// \file
/// Random numbers that do not depend on the standard library, whose distributions differ between vendors.

#include <cstddef>
#include <cstdint>

namespace search_replay {

/// xoshiro256++ by Blackman and Vigna, its state filled by splitmix64 (https://prng.di.unimi.it).
class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed);

  std::uint64_t next();
  double uniform();  ///< at least 0, less than 1
  double uniform(double low, double high);
  double log_uniform(double low, double high);  ///< every factor is equally likely
  std::size_t below(std::size_t count);         ///< a number less than `count`, which is at least 1
  double exponential(double mean);
  double normal();  ///< of mean 0 and standard deviation 1

 private:
  std::uint64_t state_[4];
};

}  // namespace search_replay
