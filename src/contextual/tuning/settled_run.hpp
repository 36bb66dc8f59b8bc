#pragma once

/// \file
/// A `run` with nothing to tune: a call, and where there are several ranks one small collective after it.

#include "contextual/agreement/exchange.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/tuning/call_watch.hpp"

#include <contextual/phase.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace contextual::tuning {

/// Runs a region once with what is locked in for it, between the user's hooks: no timer, no record of
/// launches, no log unless it is blocked. Before it the ranks have agreed that all of them have nothing to
/// tune.
class SettledRun {
 public:
  /// `last_run_id`: of the tuning run after which nothing was left.
  SettledRun(const options::ResolvedOptions& options, std::string region, std::uint32_t region_id,
             std::string last_run_id, agreement::Exchange& exchange, CallWatch& watch)
      : options_(options),
        region_(std::move(region)),
        region_id_(region_id),
        last_run_id_(std::move(last_run_id)),
        exchange_(exchange),
        watch_(watch) {}

  /// Returns whether all ranks are to tune after all, because something new was launched or a choice was
  /// rejected on one of them. Throws on all ranks alike when the region or a hook threw on one.
  bool execute(const std::function<void()>& region);

 private:
  /// The run between its hooks. Returns whether something was new on this rank.
  bool run(const std::function<void()>& region);
  /// The region alone.
  bool call(const std::function<void()>& region);
  /// `step` as the watched thread's activity.
  template <typename Step>
  void watched(Activity activity, const Step& step);

  const options::ResolvedOptions& options_;
  std::string region_;
  std::uint32_t region_id_;
  std::string last_run_id_;
  agreement::Exchange& exchange_;
  CallWatch& watch_;
};

}  // namespace contextual::tuning
