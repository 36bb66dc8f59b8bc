#pragma once

/// \file
/// ContextualAutotuner: tunes every tunable kernel launched in a region, in place, by running the region.

#include <contextual/detail/launch/result_slot.hpp>
#include <contextual/export.hpp>
#include <contextual/options.hpp>
#include <contextual/report.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace contextual {

template <typename Region>
class TunedRegion;

namespace detail {
struct TunedState;  // the state that a wrapped region keeps between its calls
}  // namespace detail

/// Tunes regions.
///
/// Ranks: every rank of the communicator constructs a tuner and calls `run` with the same regions in the
/// same order.
///
/// Threads: a tuner runs one region at a time. A `run` from a second thread waits for the first one up to the
/// deadline, then throws Error. Regions that wait for each other need one tuner and one communicator per
/// thread.
///
/// Errors: a tuner can be used again after a failed `run`. Configs that were locked in before stay locked in.
class CONTEXTUAL_API ContextualAutotuner {
 public:
  ContextualAutotuner();
  /// Does not check the options: the first `run` does.
  explicit ContextualAutotuner(Options options);
  ContextualAutotuner(const ContextualAutotuner&) = delete;
  ContextualAutotuner& operator=(const ContextualAutotuner&) = delete;
  ~ContextualAutotuner();

  /// Runs `region` until every tunable kernel launched in it is locked in, then runs it once more and returns
  /// the result of that last run. The result may be void, a move-only type or a reference. A reference (`T&`
  /// or `T&&`) is passed on as it is, so its target must outlive the call of `run`.
  ///
  /// `name` identifies the region and must not be empty: regions with different names do not share choices,
  /// even for the same kernel and key. Choices that an earlier `run` locked in under this name are reused,
  /// unless `always_tune` is set. A `run` inside a region that is being tuned belongs to that region: it only
  /// calls its callable. A `run` of the same tuner from one of its hooks or callbacks throws Error.
  ///
  /// `region` and the hooks are called on the calling thread. `options` take precedence over the tuner's own.
  ///
  /// Rethrows an exception of the region unchanged. Throws TuningFailedError, RegionFailedError,
  /// RankMismatchError, DeviceError, CommunicationError, InvalidArgument or ConfigSpaceError, each for the
  /// reason that its class documents; and CudaUnavailable when a CUDA timer cannot be made.
  template <typename Region>
  decltype(auto) run(std::string_view name, Region&& region, const Options& options = {}) {
    static_assert(
        std::is_invocable_v<Region&>,
        "`run` calls its region without arguments: let the region capture what it works on, or wrap "
        "it by make_tuned_region, which passes arguments on");
    using Result = std::invoke_result_t<Region&>;
    if constexpr (std::is_void_v<Result>) {
      run_erased(
          name, [&region] { std::invoke(region); }, options);
    } else {
      detail::ResultSlot<Result> slot;
      run_erased(
          name, [&] { slot.fill(region); }, options);
      return std::move(slot).take();
    }
  }

  /// Locks in what an earlier process has kept for a region (docs/cache.md), without running it: launches of
  /// its kernels use that from now on, within and outside of regions, and a `run` of the region has nothing
  /// left to tune, unless it asks for a higher level of search than what was kept. Collective. Returns false
  /// if nothing is kept, or nothing that all ranks can use; what is locked in for the region already stays.
  /// Throws InvalidArgument, RegionFailedError, RankMismatchError, DeviceError or CommunicationError.
  bool load(std::string_view name, const Options& options = {});

  /// Returns a copy of what is known of all runs so far: keep it in a variable before you refer to a part of
  /// it. Thread-safe.
  Report report() const;
  /// Returns a copy of the report of the region's latest run. Thread-safe. Throws InvalidArgument, which
  /// names the regions that there are, if this tuner has not run the region.
  RegionReport report(std::string_view region) const;

 private:
  template <typename Region>
  friend class TunedRegion;

  void run_erased(std::string_view name, const std::function<void()>& region, const Options& options);
  /// Serves one call of a wrapped region, which has `options`. Does not communicate when nothing is new.
  /// `call` has what this call does differently, or is null.
  void call_erased(detail::TunedState& state, std::string_view name, const std::function<void()>& region,
                   const Options& options, const Options* call = nullptr);
  static std::shared_ptr<detail::TunedState> new_tuned_state();

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace contextual
