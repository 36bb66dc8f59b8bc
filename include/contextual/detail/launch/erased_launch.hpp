#pragma once

/// \file
/// One launch as the library makes it, without the types of its arguments and its result.

#include <contextual/detail/launch/result_slot.hpp>
#include <contextual/launch_status.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>

namespace contextual::detail {

/// What launch_status says of the latest result of an ErasedLaunch.
struct ErasedStatus {
  std::optional<std::string> (*begin)();
  std::optional<std::string> (*failure)(const void* launch);
  std::optional<std::string> (*device_failure)(const void* launch);
};

/// A view of a call on the stack of the launching thread.
struct ErasedLaunch {
  void* launch;                                      ///< a LaunchWithResult
  void (*run)(void* launch, std::size_t config_id);  ///< launches, and keeps the result
  void (*discard)(void* launch) noexcept;            ///< destroys the result
  const ErasedStatus* status;                        ///< null: no result is a failure
  /// The addresses of the launch's arguments; the element before them is free for the config or the like.
  void** arguments;
  void* stream;
};

/// Launches a config by `launch(config_id)`, and keeps the result.
template <typename R, typename Launch>
struct LaunchWithResult {
  const Launch& launch;
  ResultSlot<R> slot{};

  static void run(void* self, std::size_t config_id) {
    auto& call = *static_cast<LaunchWithResult*>(self);
    auto bound = [&]() -> R { return call.launch(config_id); };
    call.slot.fill(bound);
  }
  static void discard(void* self) noexcept { static_cast<LaunchWithResult*>(self)->slot.clear(); }
  static std::optional<std::string> failure(const void* self) {
    return launch_failure(static_cast<const LaunchWithResult*>(self)->slot.result());
  }
  static std::optional<std::string> lost(const void* self) {
    return device_failure(static_cast<const LaunchWithResult*>(self)->slot.result());
  }
  static const ErasedStatus* status() noexcept {
    if constexpr (never_fails<R>()) {
      return nullptr;
    } else {
      static constexpr ErasedStatus calls{&begin_launch_status<R>, &failure, &lost};
      return &calls;
    }
  }
  R take() && { return std::move(slot).take(); }
};

template <typename Launch>
struct LaunchWithResult<void, Launch> {
  const Launch& launch;

  static void run(void* self, std::size_t config_id) {
    static_cast<LaunchWithResult*>(self)->launch(config_id);
  }
  static void discard(void* /*self*/) noexcept {}
  static const ErasedStatus* status() noexcept { return nullptr; }
  void take() && {}
};

}  // namespace contextual::detail
