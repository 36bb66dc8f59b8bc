#pragma once

/// \file
/// A `run` with nothing to tune: one call of the region and, with several ranks, one small collective after
/// it.

#include "contextual/agreement/exchange.hpp"
#include "contextual/options/resolved_options.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace contextual::tuning {

/// Runs a region once with the configs locked in for it, between the user's hooks, without timer, launch
/// records or log. The ranks must have agreed before that none of them has anything to tune.
class SettledRun {
 public:
  SettledRun(const options::ResolvedOptions& options, std::string region, std::uint32_t region_id,
             agreement::Exchange& exchange)
      : options_(options), region_(std::move(region)), region_id_(region_id), exchange_(exchange) {}

  /// Returns true if all ranks must tune after all, because one of them launched something new or rejected a
  /// choice. Throws on all ranks if the region or a hook threw on one of them.
  bool execute(const std::function<void()>& region);

 private:
  /// Returns true if this rank launched something new or rejected a choice.
  bool call(const std::function<void()>& region) const;

  const options::ResolvedOptions& options_;
  std::string region_;
  std::uint32_t region_id_;
  agreement::Exchange& exchange_;
};

}  // namespace contextual::tuning
