#pragma once

/// \file
/// Tunable kernels on NVIDIA GPUs. Includes cuda.h; link contextual::cuda.
///
/// Any callable that launches on a stream is a launcher of a TunableKernel: a template instance by `<<<>>>`,
/// cuLaunchKernelEx, a library call. CudaKernel, below, is for kernels that are compiled at run time, one
/// variant a config. A launcher's only argument of type cudaStream_t (CUstream) is the launch's stream.
///
/// Including this changes nothing by itself. A program names its timer: `Options{.timer =
/// cuda_or_host_timer}`, or once `set_default_timer(cuda_or_host_timer)`.
///
/// Driver and NVRTC are loaded at run time: a binary that links contextual::cuda starts without them, and
/// learns by CudaUnavailable what is missing.

#include <contextual/cuda/error.hpp>
#include <contextual/cuda/kernel.hpp>
#include <contextual/cuda/program.hpp>
#include <contextual/cuda/timer.hpp>
#include <contextual/kernel.hpp>
