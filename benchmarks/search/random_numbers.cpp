#include "search/random_numbers.hpp"

#include "contextual/policy/search/random_numbers.hpp"

#include <bit>
#include <cmath>
#include <numbers>

namespace search_replay {

RandomNumbers::RandomNumbers(std::uint64_t seed) {
  for (std::uint64_t& word : state_) {
    word = contextual::policy::search::mixed(seed);
    seed += 0x9e3779b97f4a7c15U;
  }
}

std::uint64_t RandomNumbers::next() {
  const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
  const std::uint64_t shifted = state_[1] << 17U;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double RandomNumbers::uniform() {
  return static_cast<double>(next() >> 11U) * 0x1.0p-53;
}

double RandomNumbers::uniform(double low, double high) {
  return low + (high - low) * uniform();
}

double RandomNumbers::log_uniform(double low, double high) {
  return low * std::pow(high / low, uniform());
}

std::size_t RandomNumbers::below(std::size_t count) {
  return static_cast<std::size_t>(uniform() * static_cast<double>(count));
}

double RandomNumbers::exponential(double mean) {
  return -mean * std::log1p(-uniform());
}

double RandomNumbers::normal() {
  const double radius = std::sqrt(exponential(2));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

}  // namespace search_replay
