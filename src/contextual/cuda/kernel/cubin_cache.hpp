#pragma once

#include "contextual/cuda/kernel/compiler.hpp"

#include <contextual/detail/storage/trusted_folder.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace contextual::cuda {

/// Machine code on disk, in the folder `code` of the cache directory, with one file per variant, which is
/// named by a digest of its key. The file also contains the key and a digest of its contents, so that a
/// collision or a damaged file is noticed and counts as missing. So does a file that somebody else may have
/// written, with a warning: what is in it would run with this user's rights. Thread-safe.
class CubinCache {
 public:
  explicit CubinCache(std::filesystem::path directory) : folder_(std::move(directory), "code") {}

  std::optional<Cubin> find(const std::string& key) const noexcept;
  /// Stores machine code. If that is impossible it says so once; the next process then compiles again.
  void store(const std::string& key, const Cubin& cubin) const noexcept;

 private:
  detail::TrustedFolder folder_;
};

}  // namespace contextual::cuda
