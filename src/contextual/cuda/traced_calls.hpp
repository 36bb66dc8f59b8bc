#pragma once

#include <cupti.h>

#include <span>

namespace contextual::cuda {

/// The calls of the driver that put work on a device, and are therefore watched.
std::span<const CUpti_driver_api_trace_cbid> traced_calls() noexcept;

/// One of these must give a kernel's record. A copy of nothing or a graph of nothing gives none.
bool launches_kernel(CUpti_CallbackId id) noexcept;

/// What a call has to do with capturing a stream into a graph.
enum class CaptureCall { none, begins, ends };
CaptureCall capture_call(CUpti_CallbackId id) noexcept;

/// A call that the session itself makes: it touches no device, and its correlation id is larger than that of
/// every call before it, watched or not.
inline constexpr CUpti_driver_api_trace_cbid marker_call = CUPTI_DRIVER_TRACE_CBID_cuDriverGetVersion;

}  // namespace contextual::cuda
