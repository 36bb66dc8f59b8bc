#pragma once

/// \file
/// What benchmarks take times with, and make of them.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <numeric>
#include <ratio>
#include <vector>

namespace contextual::benchmarks {

/// How long a call takes, in seconds, or as `elapsed<std::milli>` in parts of one.
template <typename Unit = std::ratio<1>, typename Call>
double elapsed(Call&& call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, Unit>(std::chrono::steady_clock::now() - begin).count();
}

/// How long each of so many calls after each other takes.
template <typename Call>
double ns_per_call(int calls, Call&& call) {
  return elapsed<std::nano>([&] {
           for (int i = 0; i < calls; ++i) {
             call();
           }
         }) /
         calls;
}

inline double median(std::vector<double> values) {  ///< of at least one value
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

inline double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// a[i] - b[i]
inline std::vector<double> differences(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    result.push_back(a[i] - b[i]);
  }
  return result;
}

/// a[i] / b[i]
inline std::vector<double> ratios(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    result.push_back(a[i] / b[i]);
  }
  return result;
}

/// What `sample(i)` returns in each of so many rounds, in which all `count` take turns; by i. A round before
/// them is not counted.
template <typename Sample>
std::vector<std::vector<double>> samples_in_turn(int rounds, std::size_t count, const Sample& sample) {
  std::vector<std::vector<double>> samples(count);
  for (int round = -1; round < rounds; ++round) {
    for (std::size_t i = 0; i < count; ++i) {
      const double value = sample(i);
      if (round >= 0) {
        samples[i].push_back(value);
      }
    }
  }
  return samples;
}

}  // namespace contextual::benchmarks
