#pragma once

/// \file
/// What the snippets of docs/coming-from.md work on. Scripted times decide: later configs are faster.

#include "support/engine.hpp"

#include <contextual/contextual.hpp>
#include <contextual/testing/scripted_timer.hpp>

#include <string>
#include <type_traits>

namespace coming_from {

struct Tile {
  int block = 64;
};

inline contextual::ConfigSpace<Tile> blocks() {
  return {{"BLOCK", &Tile::block, {64, 128, 256}}};
}

enum class Dtype { bf16, fp8 };

struct Gemm {
  int m = 0;
  int n = 0;
  Dtype type = Dtype::bf16;
};

/// Writes no files and takes few runs.
inline contextual::Options quick() {
  contextual::Options options;
  options.n_warmup = 1;
  options.n_repeat = 1;
  options.search = contextual::SearchLevel::off;
  options.log_directory = "";
  options.cache_directory = "";
  options.timer = contextual::testing::scripted_timer([](const contextual::LaunchInfo& launch) {
    return 10'000 - 1'000 * static_cast<int>(launch.config_id);
  });
  return options;
}

}  // namespace coming_from
