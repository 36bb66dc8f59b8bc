#pragma once

/// \file
/// A config space's result, made by the first use and kept.

#include <contextual/error.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace contextual::detail {

template <typename C>
struct GeneratedSpace {
  std::vector<C> configs;
  std::uint64_t digest = 0;
};

/// Thread-safe. Remembers a ConfigSpaceError and throws it anew at every use, so that the user's constraints
/// run once; anything else that is thrown is not remembered.
template <typename C>
class GeneratedSpaceCache {
 public:
  /// `make` returns a GeneratedSpace<C>. The reference is valid as long as the cache.
  template <typename Make>
  const GeneratedSpace<C>& get(Make&& make) {
    const std::scoped_lock lock(mutex_);
    if (!error_ && !space_) {
      try {
        space_ = std::make_unique<const GeneratedSpace<C>>(make());
      } catch (const ConfigSpaceError& e) {
        error_ = e.what();
      }
    }
    if (error_) {
      throw ConfigSpaceError(*error_);
    }
    return *space_;
  }

 private:
  std::mutex mutex_;
  std::unique_ptr<const GeneratedSpace<C>> space_;
  std::optional<std::string> error_;
};

}  // namespace contextual::detail
