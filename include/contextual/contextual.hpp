#pragma once

/// \mainpage Public headers
///
/// `contextual/contextual.hpp` includes all of them except those of the components, which docs/installing.md
/// names. Begin with these, in `include/contextual`, to
///
/// - tune a region: contextual::ContextualAutotuner, `autotuner.hpp`, `options.hpp`
/// - say what a region writes, and what it must begin with: contextual::Output, `output.hpp`
/// - wrap a region, so that the first call tunes: contextual::TunedRegion, `tuned_region.hpp`
/// - make one function tune itself, without a region: contextual::autotune, `function.hpp`,
///   `function_options.hpp`, `call_options.hpp`
/// - tune one kernel by itself, and get all results: contextual::KernelTuner, `kernel_tuner.hpp`,
///   `kernel_tuner_options.hpp`, `tune_request.hpp`, `tuning_result.hpp`
/// - look up and set the configs that were chosen so: contextual::ConfigCache, `config_cache.hpp`
/// - leave out configs that need more than a device has: contextual::ResourceLimits, `resource_limits.hpp`
/// - make a kernel tunable: contextual::TunableKernel, `kernel.hpp`, `kernel_options.hpp`
/// - choose between implementations that launch different kernels: contextual::Alternatives,
///   `alternatives.hpp`
/// - say which configs there are: contextual::ConfigSpace, `config_space.hpp`, `dispatch.hpp`
/// - use configs made of names and values: contextual::Config, `config.hpp`, `param.hpp`, `value.hpp`
/// - say what a best config depends on: contextual::make_key, `key.hpp`
/// - give sizes that never repeat a range in the key: contextual::bucket, `bucket.hpp`
/// - say that a launch failed: contextual::ConfigRejected, `launch_status.hpp`, `error.hpp`
/// - find out what failed: contextual::Error, `error.hpp`
/// - use threads in a region: contextual::RegionContext, `context_guard.hpp`
/// - show and manage the choices that are kept in a directory: contextual::KeptChoices, `choices.hpp`,
///   `cache_directory.hpp`
/// - read what was chosen and why: contextual::Report, `report.hpp`
/// - time a function without tuning it: contextual::do_bench, `do_bench.hpp`, `cuda/do_bench.hpp`
/// - compute TFLOP/s, GB/s and shares of the device's peak from a time: contextual::KernelMetrics,
///   `metrics.hpp`, `cuda/device_facts.hpp`
/// - tune kernels on GPUs: contextual::CudaKernel, `cuda.hpp`, `cuda_runtime.hpp`
/// - use kernels that come with the library: contextual::kernels::gemm, `kernels/host/`, `kernels/mpi/`,
///   `kernels/cuda/`
/// - tune on several ranks: contextual::mpi_world, `mpi.hpp`
/// - tune on several ranks without MPI: contextual::nccl_world, `nccl.hpp`
/// - end a kernel that waits for a rank which does not come: contextual::AbortWord, `abort_word.hpp`
/// - choose or write the search over all kernels of a region: contextual::SearchLevel, `search.hpp`
/// - write a timer, a communicator: contextual::Timer, `timer.hpp`, `communicator.hpp`
/// - test them, and code that tunes: contextual::testing::ScriptedWorld, `testing/`

/// \file
/// Includes every public header that needs only the standard library. GPU kernels need `contextual/cuda.hpp`,
/// ranks over MPI or NCCL need `contextual/mpi.hpp` or `contextual/nccl.hpp`, and test helpers are in
/// `contextual/testing/`.

#include <contextual/abort_word.hpp>
#include <contextual/alternatives.hpp>
#include <contextual/autotuner.hpp>
#include <contextual/bucket.hpp>
#include <contextual/cache_directory.hpp>
#include <contextual/call_options.hpp>
#include <contextual/choices.hpp>
#include <contextual/communicator.hpp>
#include <contextual/config.hpp>
#include <contextual/config_cache.hpp>
#include <contextual/config_space.hpp>
#include <contextual/context_guard.hpp>
#include <contextual/deadline.hpp>
#include <contextual/dispatch.hpp>
#include <contextual/do_bench.hpp>
#include <contextual/error.hpp>
#include <contextual/export.hpp>
#include <contextual/function.hpp>
#include <contextual/function_options.hpp>
#include <contextual/iterations.hpp>
#include <contextual/kernel.hpp>
#include <contextual/kernel_options.hpp>
#include <contextual/kernel_tuner.hpp>
#include <contextual/kernel_tuner_options.hpp>
#include <contextual/key.hpp>
#include <contextual/launch_registry.hpp>
#include <contextual/launch_status.hpp>
#include <contextual/metrics.hpp>
#include <contextual/options.hpp>
#include <contextual/output.hpp>
#include <contextual/param.hpp>
#include <contextual/participation.hpp>
#include <contextual/phase.hpp>
#include <contextual/registered_checks.hpp>
#include <contextual/report.hpp>
#include <contextual/resource_limits.hpp>
#include <contextual/search.hpp>
#include <contextual/timer.hpp>
#include <contextual/tune_request.hpp>
#include <contextual/tuned_region.hpp>
#include <contextual/tuning_result.hpp>
#include <contextual/value.hpp>
#include <contextual/version.hpp>
