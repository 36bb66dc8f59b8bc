#pragma once

/// \file
/// How the return value of a launcher tells that the launch failed before it had any effect.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace contextual {
namespace detail {

/// Returns the name of the type as the compiler spells it, e.g. "cudaError"; or an empty text if the compiler
/// spells it in a way that is not known.
template <typename T>
constexpr std::string_view name_of_type() noexcept {
  std::string_view text = __PRETTY_FUNCTION__;  // "... [with T = cudaError; ...]", "... [T = cudaError]"
  const std::size_t begin = text.find("T = ");
  const std::size_t narrow = text.find("T=");  // so nvcc, for the device
  if (begin != std::string_view::npos) {
    text.remove_prefix(begin + 4);
  } else if (narrow != std::string_view::npos) {
    text.remove_prefix(narrow + 2);
  } else {
    return {};
  }
  return text.substr(0, text.find_first_of(";,]"));
}

/// True for an enum of this name, whose declaration need not be known here.
template <typename Result>
constexpr bool is_enum_named(std::string_view name) noexcept {
  return std::is_enum_v<Result> && name_of_type<Result>() == name;
}

/// True for an enum with a name by which the libraries of C tell a status, such as cusparseStatus_t.
template <typename Result>
constexpr bool is_named_as_status() noexcept {
  if constexpr (std::is_enum_v<Result>) {
    constexpr std::string_view name = name_of_type<Result>();
    return name.ends_with("Status_t") || name.ends_with("Result_t") || name.ends_with("Error_t") ||
           name == "nvrtcResult" || name == "cufftResult";
  }
  return false;
}

}  // namespace detail

/// Says whether a launcher's result is a failure. Specialise it for a status type of your own: `failure`
/// returns the reason why the launch failed, or nothing for a success. The primary template takes every
/// result for a success, but refuses to compile for the statuses of CUDA and NCCL, whose specialisations are
/// in headers of their own, and for every enum whose name ends in `Status_t`, `Result_t` or `Error_t`: a
/// failure would otherwise read as a very fast launch. An enum with such a name that is no status gets a
/// specialisation whose `failure` returns nothing.
///
/// `failure` and `device_failure` are called on the launching thread while the launch is still being timed.
/// For a success they must only inspect the value; for a failure they may look up its text. They must not
/// wait.
///
/// Two further members are optional:
/// - `static std::optional<std::string> begin()` is called before each launch while tuning. It clears an
///   error that was pending before the launch, so that the launch is not blamed for it, and returns that
///   error's text, or nothing.
/// - `static std::optional<std::string> device_failure(const Result&)` returns a text if the status means
///   that the device no longer works for this process, due to this launch or an earlier one. No config is
///   rejected then, and the run ends with DeviceError. A launcher with such a status works on a device: on
///   the legacy default stream of CUDA if it takes no stream.
template <typename Result>
struct launch_status {
  static_assert(!detail::is_enum_named<Result>("cudaError"),
                "the launcher returns a cudaError_t: include contextual/cuda_runtime.hpp, which knows its "
                "failures");
  static_assert(!detail::is_enum_named<Result>("cudaError_enum"),
                "the launcher returns a CUresult: include contextual/cuda.hpp, which knows its failures");
  static_assert(
      !detail::is_enum_named<Result>("ncclResult_t"),
      "the launcher returns an ncclResult_t: include contextual/nccl.hpp, which knows its failures");
  static_assert(!detail::is_enum_named<Result>("cublasStatus_t"),
                "the launcher returns a cublasStatus_t: include contextual/kernels/cuda/cublaslt.hpp, which "
                "knows its failures");
  static_assert(detail::is_enum_named<Result>("ncclResult_t") ||
                    detail::is_enum_named<Result>("cublasStatus_t") || !detail::is_named_as_status<Result>(),
                "the launcher returns a status whose failures are not known: specialise "
                "contextual::launch_status for its type");

  using NeverFailsFor = Result;  ///< another type in a specialisation that derives from this one
  static std::optional<std::string> failure(const Result&) { return std::nullopt; }
};

/// For a launcher that returns std::error_code.
template <>
struct launch_status<std::error_code> {
  static std::optional<std::string> failure(const std::error_code& code) {
    return code ? std::optional(code.message()) : std::nullopt;
  }
};

namespace detail {

/// Returns true if the primary launch_status takes every result of the type for a success.
template <typename Result>
constexpr bool never_fails() noexcept {
  using Plain = std::remove_cvref_t<Result>;
  if constexpr (requires { typename launch_status<Plain>::NeverFailsFor; }) {
    return std::is_same_v<typename launch_status<Plain>::NeverFailsFor, Plain>;
  } else {
    return false;
  }
}

/// Returns true if a launcher with this result works on a device, because launch_status has `device_failure`.
template <typename Result>
constexpr bool is_status_of_device() noexcept {
  using Plain = std::remove_cvref_t<Result>;
  if constexpr (std::is_void_v<Plain>) {
    return false;
  } else {
    return requires(const Plain& result) {
      launch_status<Plain>::device_failure(result);
    };
  }
}

}  // namespace detail

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
