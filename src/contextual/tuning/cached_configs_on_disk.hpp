#pragma once

/// \file
/// The files of a ConfigCache: sets of choices, each with one config, in a file for each kernel type.

#include <contextual/config_cache.hpp>
#include <contextual/tune_request.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace contextual::tuning {

/// What a ConfigCache keeps on the disk. Only what was written on a machine, and with software, like this
/// one counts. Names on stderr what cannot be used. An empty directory has nothing and takes nothing.
/// Thread-safe, as the files are.
class CachedConfigsOnDisk {
 public:
  explicit CachedConfigsOnDisk(std::filesystem::path directory);

  struct Entry {
    TuneRequest request;
    CachedConfig config;
    std::string caveat{};  ///< what to warn of where it is used; empty for what was made with these versions
  };
  /// Returns the configs of a kernel type, the newest first.
  std::vector<Entry> entries(const std::string& kernel_type) const;
  /// Returns the kernel types that the directory has a file of.
  std::vector<std::string> kernel_types() const;

  /// Returns what went wrong, or an empty text.
  std::string write(const Entry& entry) const;
  /// Removes what counts of a kernel type. Returns what went wrong, or an empty text.
  std::string remove(const std::string& kernel_type) const;

  const std::filesystem::path& directory() const noexcept { return directory_; }

 private:
  std::filesystem::path directory_;
};

}  // namespace contextual::tuning
