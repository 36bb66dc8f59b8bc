#pragma once

/// \file
/// Routings of rows to experts, and what follows from them, computed on the host.

#include "gpu/epilogue_reference.hpp"
#include "gpu/kernel_support.hpp"

namespace contextual::test::gpu_test {

/// Which experts rows choose, and the order of the pairs of row and place by expert.
struct ExpertIds {
  int rows;
  int top_k;
  int experts;
  std::vector<int> ids;  ///< [rows, top_k]

  /// Returns ids of which about one in `none_in` is -1; 0 for none of them.
  static ExpertIds random(int rows, int top_k, int experts, unsigned seed, unsigned none_in = 0) {
    std::mt19937 generator(seed);
    ExpertIds all{rows, top_k, experts, std::vector<int>(element(rows, 0, top_k))};
    for (int& id : all.ids) {
      const bool none = none_in != 0 && generator() % none_in == 0;
      id = none ? -1 : static_cast<int>(generator() % static_cast<unsigned>(experts));
    }
    return all;
  }
  static ExpertIds all_to(int expert, int rows, int top_k, int experts) {
    return {rows, top_k, experts, std::vector<int>(element(rows, 0, top_k), expert)};
  }

  /// [experts + 1]
  std::vector<int> offsets() const {
    std::vector<int> first(static_cast<std::size_t>(experts) + 1);
    for (int expert = 0; expert < experts; ++expert) {
      int count = 0;
      for (const int id : ids) {
        count += id == expert ? 1 : 0;
      }
      first[static_cast<std::size_t>(expert) + 1] = first[static_cast<std::size_t>(expert)] + count;
    }
    return first;
  }
  /// [rows, top_k]
  std::vector<int> positions() const {
    std::vector<int> next = offsets();
    std::vector<int> all;
    for (const int id : ids) {
      all.push_back(id < 0 || id >= experts ? -1 : next[static_cast<std::size_t>(id)]++);
    }
    return all;
  }
};

}  // namespace contextual::test::gpu_test
