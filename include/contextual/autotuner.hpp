#pragma once

/// \file
/// ContextualAutotuner: tunes every tunable kernel launched in a region, in place, by running the region.

#include <contextual/detail/tuning/result_slot.hpp>
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
struct TunedState;  // what a wrapped region remembers between calls
}

/// Tunes regions.
///
/// Ranks: every rank of the communicator constructs a tuner and calls `run` with the same regions in the
/// same order. One tuner tunes one region at a time: `run` from a second thread waits for the first, up to
/// the deadline, and then throws Error. Use a tuner (and a communicator) a thread where regions wait for each
/// other.
///
/// A tuner may be used again after an error; what was locked in before it stays.
class CONTEXTUAL_API ContextualAutotuner {
 public:
  ContextualAutotuner();
  /// Throws nothing: options are checked by the first `run`.
  explicit ContextualAutotuner(Options options);
  ContextualAutotuner(const ContextualAutotuner&) = delete;
  ContextualAutotuner& operator=(const ContextualAutotuner&) = delete;
  ~ContextualAutotuner();

  /// Runs `region` until every tunable kernel launched in it is locked in, then once more, and returns what
  /// that last run returned: void, move-only types and references too. A reference, `T&` or `T&&`, is
  /// returned as such: what it refers to must outlive the call of `run`.
  ///
  /// `name` identifies the region: two regions with the same kernel and key do not share a choice. What an
  /// earlier `run` of a region of this name locked in is used, unless `always_tune` is set. A `run` inside a
  /// region that is being tuned is part of that region: the callable is just called.
  ///
  /// Throws what the region throws, unchanged; TuningFailedError, RegionFailedError, RankMismatchError,
  /// CommunicationError, InvalidArgument, ConfigSpaceError as documented there.
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

  /// All runs so far; a copy. Thread-safe.
  Report report() const;

 private:
  template <typename Region>
  friend class TunedRegion;

  /// False when the region has more problems than max_problems.
  bool run_erased(std::string_view name, const std::function<void()>& region, const Options& options);
  /// A wrapped region's call: without communication when nothing is new.
  void call_erased(detail::TunedState& state, std::string_view name, const std::function<void()>& region,
                   const Options& options);
  static std::shared_ptr<detail::TunedState> new_tuned_state();

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace contextual
