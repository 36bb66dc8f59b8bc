#pragma once

/// \file
/// Whether a stream is being captured, for calls that must not begin to tune then.

#include <contextual/export.hpp>

namespace contextual::detail {

/// Returns true if work on the stream goes into a graph instead of to a device. Must not wait or throw.
using StreamCaptureCheck = bool (*)(void* stream) noexcept;

/// Makes `stream_is_captured` ask `check`, which must live as long as the process. Thread-safe.
CONTEXTUAL_API void set_stream_capture_check(StreamCaptureCheck check) noexcept;

/// Returns false for null, and in a program without the part that knows of streams. Thread-safe.
CONTEXTUAL_API bool stream_is_captured(void* stream) noexcept;

}  // namespace contextual::detail
