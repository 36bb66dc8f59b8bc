#pragma once

/// \file
/// do_bench for functions that work on a CUDA stream. Link contextual::cuda.

#include <contextual/do_bench.hpp>
#include <contextual/export.hpp>

#include <cuda.h>

#include <functional>

namespace contextual {

/// Times what the function puts on this stream, and on streams that it makes wait for it. The timer is
/// `cuda_timer` unless the options name another one; one that measures the host only would time the launching
/// calls, so it is refused. `options.stream` is ignored. Everything else is as `do_bench` without a stream
/// says.
///
/// Throws InvalidArgument also for a timer that measures the host only, and CudaUnavailable without a GPU. A
/// capture is refused before anything is put on a device, so that it goes on.
CONTEXTUAL_API BenchResult do_bench(CUstream stream, const std::function<void()>& function,
                                    const BenchOptions& options = {});
/// The same for a function that gets the stream.
CONTEXTUAL_API BenchResult do_bench(CUstream stream, const std::function<void(CUstream)>& function,
                                    const BenchOptions& options = {});

}  // namespace contextual
