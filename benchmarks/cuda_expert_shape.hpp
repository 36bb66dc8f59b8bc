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

/// Of a product of a mixture of experts.
struct ExpertShape {
  int m = 0;
  int n = 0;
  int k = 0;
  int experts = 0;
  int top_k = 0;
};

/// From MxNxKxEXPERTSxTOP_K. Throws std::runtime_error.
inline ExpertShape expert_shape(const std::string& text) {
  ExpertShape shape;
  char end = 0;
  if (std::sscanf(text.c_str(), "%dx%dx%dx%dx%d%c", &shape.m, &shape.n, &shape.k, &shape.experts,
                  &shape.top_k, &end) != 5 ||
      shape.top_k > shape.experts) {
    throw std::runtime_error("a shape is MxNxKxEXPERTSxTOP_K, not '" + text + "'");
  }
  return shape;
}

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
