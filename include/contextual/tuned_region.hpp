#pragma once

/// \file
/// Wraps a region like a decorator: the first call tunes, later calls use, and tune only what is new.

#include <contextual/autotuner.hpp>
#include <contextual/detail/tuning/result_slot.hpp>

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace contextual {

/// A callable made by `make_tuned_region`. The tuner must outlive it.
///
/// A later call costs what the region costs, plus two writes to thread-local state: no communication. When
/// it launches something that is not locked in for this region, the region is tuned for that right after, in
/// the same call, and the value is that of the final run. With several ranks only launches of kernels with
/// Participation::all start that, since all ranks must; others wait for the next tuning run.
///
/// Like a `run`, a wrapped region called inside another is part of that one, also in later calls.
///
/// Arguments are kept as lvalues for the duration of one call and passed on to every run of the region. What
/// the region returns is returned as by `run`.
template <typename Region>
class TunedRegion {
 public:
  TunedRegion(ContextualAutotuner& tuner, std::string name, Region region, Options options)
      : tuner_(&tuner),
        name_(std::move(name)),
        region_(std::move(region)),
        options_(std::move(options)),
        state_(ContextualAutotuner::new_tuned_state()) {}

  template <typename... Args>
  decltype(auto) operator()(Args&&... args) {
    static_assert(
        std::is_invocable_v<Region&, Args&...>,
        "a tuned region is called with what its region takes, as lvalues: the region may run several "
        "times, so it takes its arguments by lvalue reference or by value");
    using Result = std::invoke_result_t<Region&, Args&...>;
    auto bound = [&]() -> Result { return std::invoke(region_, args...); };
    if constexpr (std::is_void_v<Result>) {
      tuner_->call_erased(*state_, name_, std::ref(bound), options_);
    } else {
      detail::ResultSlot<Result> slot;
      auto fill = [&] { slot.fill(bound); };
      tuner_->call_erased(*state_, name_, std::ref(fill), options_);
      return std::move(slot).take();
    }
  }

  const std::string& name() const noexcept { return name_; }

 private:
  ContextualAutotuner* tuner_;
  std::string name_;
  Region region_;
  Options options_;
  std::shared_ptr<detail::TunedState> state_;
};

/// `auto step = make_tuned_region(tuner, "step", [&](Tensor& x) { ... }); step(x);`
template <typename Region>
TunedRegion<std::decay_t<Region>> make_tuned_region(ContextualAutotuner& tuner, std::string name,
                                                    Region&& region, Options options = {}) {
  return {tuner, std::move(name), std::forward<Region>(region), std::move(options)};
}

/// The same under the name that users of the Python ancestor know.
template <typename Region>
TunedRegion<std::decay_t<Region>> contextual_autotune(ContextualAutotuner& tuner, std::string name,
                                                      Region&& region, Options options = {}) {
  return make_tuned_region(tuner, std::move(name), std::forward<Region>(region), std::move(options));
}

}  // namespace contextual
