#pragma once

#include "contextual/cuda/kernel/compiler.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace contextual::cuda {

/// Machine code on disk, with one file per variant, which is named by a digest of its key. The file also
/// contains the key and a digest of its contents, so that a collision or a damaged file is noticed and counts
/// as missing. A file is written under a temporary name and then renamed, so that other processes see all of
/// it or nothing.
class CubinCache {
 public:
  explicit CubinCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::optional<Cubin> find(const std::string& key) const noexcept;
  /// Stores machine code. Does nothing if the folder cannot be written; the next process then compiles again.
  void store(const std::string& key, const Cubin& cubin) const noexcept;

 private:
  std::filesystem::path path_of(const std::string& key) const;

  std::filesystem::path folder_;
};

}  // namespace contextual::cuda
