#pragma once

/// \file
/// Sizes and routings of a mixture of experts, for benchmarks.

#include <cstddef>
#include <cstdio>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace contextual::benchmarks {

/// Of a product of a mixture of experts, from MxNxKxEXPERTSxTOP_K. Throws std::runtime_error.
struct ExpertShape {
  int m = 0;
  int n = 0;
  int k = 0;
  int experts = 0;
  int top_k = 0;

  static constexpr const char* form = "MxNxKxEXPERTSxTOP_K";
  explicit ExpertShape(const std::string& text) {
    char end = 0;
    if (std::sscanf(text.c_str(), "%dx%dx%dx%dx%d%c", &m, &n, &k, &experts, &top_k, &end) != 5 ||
        top_k > experts) {
      throw std::runtime_error(std::string("a shape is ") + form + ", not '" + text + "'");
    }
  }
};

/// Each row chooses different experts, uniformly at random, the same in every process.
inline std::vector<int> random_ids(const ExpertShape& shape) {
  std::mt19937 generator(1);
  std::vector<int> experts(static_cast<std::size_t>(shape.experts));
  std::iota(experts.begin(), experts.end(), 0);
  std::vector<int> ids;
  for (int row = 0; row < shape.m; ++row) {
    for (int place = 0; place < shape.top_k; ++place) {
      const auto first = static_cast<std::size_t>(place);
      std::swap(experts[first], experts[first + generator() % (experts.size() - first)]);
      ids.push_back(experts[first]);
    }
  }
  return ids;
}

}  // namespace contextual::benchmarks
