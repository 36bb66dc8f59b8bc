#pragma once

/// \file
/// Includes every public header that needs only the standard library. GPU kernels need `contextual/cuda.hpp`,
/// ranks over MPI or NCCL need `contextual/mpi.hpp` or `contextual/nccl.hpp`, and test helpers are in
/// `contextual/testing/`.

#include <contextual/abort_word.hpp>
#include <contextual/alternatives.hpp>
#include <contextual/autotuner.hpp>
#include <contextual/cache_directory.hpp>
#include <contextual/choices.hpp>
#include <contextual/communicator.hpp>
#include <contextual/config.hpp>
#include <contextual/config_space.hpp>
#include <contextual/context_guard.hpp>
#include <contextual/deadline.hpp>
#include <contextual/dispatch.hpp>
#include <contextual/error.hpp>
#include <contextual/export.hpp>
#include <contextual/iterations.hpp>
#include <contextual/kernel.hpp>
#include <contextual/kernel_options.hpp>
#include <contextual/key.hpp>
#include <contextual/launch_registry.hpp>
#include <contextual/launch_status.hpp>
#include <contextual/options.hpp>
#include <contextual/param.hpp>
#include <contextual/participation.hpp>
#include <contextual/phase.hpp>
#include <contextual/registered_checks.hpp>
#include <contextual/report.hpp>
#include <contextual/schedule.hpp>
#include <contextual/search.hpp>
#include <contextual/statistic.hpp>
#include <contextual/timer.hpp>
#include <contextual/tuned_region.hpp>
#include <contextual/value.hpp>
#include <contextual/version.hpp>
