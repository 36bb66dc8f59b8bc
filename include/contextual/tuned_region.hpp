#pragma once

/// \file
/// Wraps a region like a decorator. The first call tunes; later calls use the choices and tune only what is
/// new.

#include <contextual/autotuner.hpp>
#include <contextual/detail/launch/result_slot.hpp>

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace contextual {

/// A callable made by `make_tuned_region`. The tuner must outlive it.
///
/// A later call runs the region once, without communication. It adds two writes to thread-local state and
/// two short locks for the thread that watches for blocked calls; a later call that is blocked is reported,
/// but not ended. If it launches something that is not locked in for this region, the same call then tunes
/// the region for that and returns the value of the final run. With several ranks, only kernels with
/// Participation::all start such a tuning run, because all ranks must start it together; other new launches
/// wait for the next tuning run.
///
/// A wrapped region that is called inside another region is part of that region, in later calls too.
///
/// The arguments of a call are passed as lvalues to every run of the region in that call. Results are
/// returned as ContextualAutotuner::run returns them, and errors are thrown as it throws them. A later call
/// that does not tune throws only what the region throws, and may run on several threads if the region may.
template <typename Region>
class TunedRegion {
 public:
  TunedRegion(ContextualAutotuner& tuner, std::string name, Region region, Options options)
      : tuner_(&tuner),
        name_(std::move(name)),
        region_(std::move(region)),
        options_(std::move(options)),
        state_(ContextualAutotuner::new_tuned_state()) {}

  /// Calls the region on the calling thread, as described above.
  template <typename... Args>
  decltype(auto) operator()(Args&&... args) {
    return call(nullptr, args...);
  }

  /// The same with options that take precedence over the region's in this call only. A call with a mode,
  /// `search`, `always_tune` or a communicator is a `run` of its own: all ranks make it, and it communicates.
  template <typename... Args>
  decltype(auto) with(const Options& options, Args&&... args) {
    return call(&options, args...);
  }
  const std::string& name() const noexcept { return name_; }

 private:
  template <typename... Args>
  decltype(auto) call(const Options* options, Args&... args) {
    static_assert(
        std::is_invocable_v<Region&, Args&...>,
        "a tuned region is called with what its region takes, as lvalues: the region may run several "
        "times, so it takes its arguments by lvalue reference or by value");
    using Result = std::invoke_result_t<Region&, Args&...>;
    auto bound = [&]() -> Result { return std::invoke(region_, args...); };
    if constexpr (std::is_void_v<Result>) {
      tuner_->call_erased(*state_, name_, std::ref(bound), options_, options);
    } else {
      detail::ResultSlot<Result> slot;
      auto fill = [&] { slot.fill(bound); };
      tuner_->call_erased(*state_, name_, std::ref(fill), options_, options);
      return std::move(slot).take();
    }
  }

  ContextualAutotuner* tuner_;
  std::string name_;
  Region region_;
  Options options_;
  std::shared_ptr<detail::TunedState> state_;
};

/// Wraps `region`: `auto step = make_tuned_region(tuner, "step", [&](Tensor& x) { ... }); step(x);`. The
/// result keeps a copy of `region` and of `options`; `tuner` must outlive it.
template <typename Region>
TunedRegion<std::decay_t<Region>> make_tuned_region(ContextualAutotuner& tuner, std::string name,
                                                    Region&& region, Options options = {}) {
  return {tuner, std::move(name), std::forward<Region>(region), std::move(options)};
}

/// The same as make_tuned_region, under the name of the Python decorator that it follows.
template <typename Region>
TunedRegion<std::decay_t<Region>> contextual_autotune(ContextualAutotuner& tuner, std::string name,
                                                      Region&& region, Options options = {}) {
  return make_tuned_region(tuner, std::move(name), std::forward<Region>(region), std::move(options));
}

}  // namespace contextual
