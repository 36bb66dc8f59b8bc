#pragma once

/// \file
/// How a launcher's return value says that the launch failed before it had any effect.

#include <optional>
#include <string>
#include <system_error>
#include <type_traits>

namespace contextual {

/// Specialise for a status type of your own: `failure` returns why a launch failed, or nothing.
///
/// It is asked while the launch is still being timed, as is `device_failure`: of a success both only look at
/// the value, of a failure they may ask for its words, and they wait for nothing.
///
/// Two further members are optional. `static std::optional<std::string> begin()` is called before each launch
/// while tuning: it takes away an error that was there before, so that the launch is not blamed for it, and
/// says what it took away. `static std::optional<std::string> device_failure(const Result&)` returns a text
/// when the status says that the device no longer works for this process, because of this launch or an
/// earlier one: no config is to blame then, and the run ends with DeviceError.
template <typename Result>
struct launch_status {
  static std::optional<std::string> failure(const Result&) { return std::nullopt; }
};

template <>
struct launch_status<std::error_code> {
  static std::optional<std::string> failure(const std::error_code& code) {
    return code ? std::optional(code.message()) : std::nullopt;
  }
};

template <typename Result>
std::optional<std::string> launch_failure(const Result& result) {
  return launch_status<std::remove_cv_t<Result>>::failure(result);
}

template <typename Result>
std::optional<std::string> device_failure(const Result& result) {
  using Status = launch_status<std::remove_cv_t<Result>>;
  if constexpr (requires { Status::device_failure(result); }) {
    return Status::device_failure(result);
  } else {
    return std::nullopt;
  }
}

/// What was wrong before the launch, and is not any more.
template <typename Result>
std::optional<std::string> begin_launch_status() {
  using Status = launch_status<std::remove_cv_t<Result>>;
  if constexpr (requires { Status::begin(); }) {
    return Status::begin();
  } else {
    return std::nullopt;
  }
}

}  // namespace contextual
