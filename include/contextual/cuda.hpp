#pragma once

/// \file
/// Tunable kernels on NVIDIA GPUs. Includes cuda.h; link contextual::cuda.
///
/// The launcher of a TunableKernel may be any callable that launches on a stream: a template instance by
/// `<<<>>>`, cuLaunchKernelEx, or a library call. Its only argument of type cudaStream_t (CUstream) is the
/// stream of the launch; one that returns a status of CUDA and takes none works on the legacy default stream.
/// CudaKernel is for kernels that are compiled at run time, one variant per config.
///
/// Including this header does not change how a run measures. A program sets the timer of each run with
/// `Options{.timer = cuda_or_host_timer}`, or of all runs with `set_default_timer(cuda_or_host_timer)`.
///
/// The driver and NVRTC are loaded at run time. A program that links contextual::cuda starts without them;
/// CudaUnavailable then names what is missing.

#include <contextual/cuda/device_facts.hpp>
#include <contextual/cuda/do_bench.hpp>
#include <contextual/cuda/error.hpp>
#include <contextual/cuda/kernel.hpp>
#include <contextual/cuda/program.hpp>
#include <contextual/cuda/timer.hpp>
#include <contextual/kernel.hpp>
