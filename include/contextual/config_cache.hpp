#pragma once

/// \file
/// ConfigCache: the configs that were chosen for a kernel type, a problem size and a device.

#include <contextual/config.hpp>
#include <contextual/export.hpp>
#include <contextual/tune_request.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace contextual {

namespace detail {
class KernelTunerCore;
}  // namespace detail

/// A config in a ConfigCache.
struct CachedConfig {
  Config config{};
  std::optional<std::int64_t> time_ns{};  ///< of one launch, where it was measured; not negative
  /// As KeptConfig::belongs_to, of a config that a KernelTuner has chosen; empty for one that the program has
  /// set.
  std::string belongs_to{};

  friend bool operator==(const CachedConfig&, const CachedConfig&) = default;
};

/// A map from requests to configs, in memory and, where a directory is given, on the disk.
///
/// What this process has set comes before what is on the disk. The disk is read whenever a request is not
/// found in memory, so a process finds what another one has chosen meanwhile. A directory may be shared with
/// other processes and with ContextualAutotuner: there is a file for each kernel type among the regions in
/// `choices`, with the files and the guarantees that docs/cache.md describes ("Who may write there"). A file
/// counts only on a machine like the one it was written on, with any versions of software. A damaged file is
/// named on stderr and left as it is, and nothing is kept in it.
///
/// Thread-safe. Nothing here is collective.
class CONTEXTUAL_API ConfigCache {
 public:
  /// Keeps configs in memory; and in `directory` unless that is empty. Touches no file.
  explicit ConfigCache(std::filesystem::path directory = {});
  ConfigCache(const ConfigCache&) = delete;
  ConfigCache& operator=(const ConfigCache&) = delete;
  ~ConfigCache();

  /// Returns the config that was set last for this request, or nothing. Compares the texts of the request as
  /// they are: an empty device is not completed.
  std::optional<CachedConfig> get(const TuneRequest& request) const;

  /// Replaces the request's config; `belongs_to` is ignored. Returns what went wrong with the disk, with the
  /// path, or an empty text; the config is in memory in any case. Throws InvalidArgument for a negative time.
  std::string set(const TuneRequest& request, const CachedConfig& config) {
    return put(request, {config.config, config.time_ns});
  }

  /// Removes all configs, or those of a kernel type, from memory, and from the disk those that count on this
  /// machine. Returns what went wrong with the disk, or an empty text.
  std::string clear(const std::optional<std::string>& kernel_type = {});

  /// Returns the requests for which `get` finds a config, by kernel type, then in the order of problem sizes
  /// and devices.
  std::vector<TuneRequest> get_all_keys() const;

  /// Returns the directory; empty if configs are kept in memory only.
  const std::filesystem::path& directory() const noexcept;

 private:
  friend class detail::KernelTunerCore;
  std::string put(const TuneRequest& request, const CachedConfig& config);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace contextual
