#pragma once

/// \file
/// What the snippets of docs/coming-from.md work on. Scripted times decide: later configs are faster.

#include "support/catch.hpp"

#include <contextual/contextual.hpp>
#include <contextual/testing/scripted_timer.hpp>

#include <filesystem>
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

/// Removed with all that is in it.
class Directory {
 public:
  explicit Directory(const std::string& name) : path_(std::filesystem::temp_directory_path() / name) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directory(path_);
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  ~Directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace coming_from
