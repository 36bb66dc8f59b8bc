#pragma once

/// \file
/// How a launcher's return value says that the launch failed before it had any effect.

#include <optional>
#include <string>
#include <system_error>
#include <type_traits>

namespace contextual {

/// Specialise for a status type of your own: `failure` returns why a launch failed, or nothing.
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

}  // namespace contextual
