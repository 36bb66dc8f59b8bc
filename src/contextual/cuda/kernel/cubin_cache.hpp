#pragma once

#include "contextual/cuda/kernel/compiler.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace contextual::cuda {

/// Machine code on disk, a file a variant, named by a digest of its key. The file repeats the key and carries
/// a digest of its contents, so a collision, a half-written or a damaged file is found and counts as missing.
/// Written to a file of its own name and renamed: other processes see all of it or nothing.
class CubinCache {
 public:
  explicit CubinCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::optional<Cubin> find(const std::string& key) const noexcept;
  /// Silent when the folder cannot be written: the next process compiles again.
  void store(const std::string& key, const Cubin& cubin) const noexcept;

 private:
  std::filesystem::path path_of(const std::string& key) const;

  std::filesystem::path folder_;
};

}  // namespace contextual::cuda
