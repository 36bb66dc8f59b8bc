#pragma once

/// \file
/// A `run` with nothing to tune: a call, and where there are several ranks one small collective after it.

#include "contextual/agreement/exchange.hpp"
#include "contextual/options/resolved_options.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace contextual::tuning {

/// Runs a region once with what is locked in for it, between the user's hooks: no timer, no record of
/// launches, no log. Before it the ranks have agreed that all of them have nothing to tune.
class SettledRun {
 public:
  SettledRun(const options::ResolvedOptions& options, std::string region, std::uint32_t region_id,
             agreement::Exchange& exchange)
      : options_(options), region_(std::move(region)), region_id_(region_id), exchange_(exchange) {}

  /// Returns whether all ranks are to tune after all, because something new was launched or a choice was
  /// rejected on one of them. Throws on all ranks alike when the region or a hook threw on one.
  bool execute(const std::function<void()>& region);

 private:
  /// Returns whether something was new on this rank.
  bool call(const std::function<void()>& region) const;

  const options::ResolvedOptions& options_;
  std::string region_;
  std::uint32_t region_id_;
  agreement::Exchange& exchange_;
};

}  // namespace contextual::tuning
