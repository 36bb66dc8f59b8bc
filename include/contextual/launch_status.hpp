#pragma once

/// \file
/// How the return value of a launcher tells that the launch failed before it had any effect.

#include <optional>
#include <string>
#include <system_error>
#include <type_traits>

namespace contextual {

/// Says whether a launcher's result is a failure. Specialise it for a status type of your own: `failure`
/// returns the reason why the launch failed, or nothing for a success. The primary template takes every
/// result for a success.
///
/// `failure` and `device_failure` are called on the launching thread while the launch is still being timed.
/// For a success they must only inspect the value; for a failure they may look up its text. They must not
/// wait.
///
/// Two further members are optional:
/// - `static std::optional<std::string> begin()` is called before each launch while tuning. It clears an
/// error
///   that was pending before the launch, so that the launch is not blamed for it, and returns that error's
///   text, or nothing.
/// - `static std::optional<std::string> device_failure(const Result&)` returns a text if the status means
///   that the device no longer works for this process, due to this launch or an earlier one. No config is
///   rejected then, and the run ends with DeviceError.
template <typename Result>
struct launch_status {
  static std::optional<std::string> failure(const Result&) { return std::nullopt; }
};

/// For a launcher that returns std::error_code.
template <>
struct launch_status<std::error_code> {
  static std::optional<std::string> failure(const std::error_code& code) {
    return code ? std::optional(code.message()) : std::nullopt;
  }
};

/// Returns why the launch failed according to launch_status, or nothing.
template <typename Result>
std::optional<std::string> launch_failure(const Result& result) {
  return launch_status<std::remove_cv_t<Result>>::failure(result);
}

/// Returns why the device no longer works for this process, or nothing; also nothing if launch_status has no
/// `device_failure`.
template <typename Result>
std::optional<std::string> device_failure(const Result& result) {
  using Status = launch_status<std::remove_cv_t<Result>>;
  if constexpr (requires { Status::device_failure(result); }) {
    return Status::device_failure(result);
  } else {
    return std::nullopt;
  }
}

/// Clears an error that was pending before the launch and returns its text; or nothing if there was none, or
/// if launch_status has no `begin`.
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
