#pragma once

/// \file
/// The tunable exchanges between ranks, with config space, key and launcher, for all_gather.hpp and
/// reduce_scatter.hpp. There is one of each, which lives as long as the process.
///
/// All ranks must launch them with the same config, or the messages do not match. Each is therefore coupled
/// to itself: a config that fails on one rank ends the run with an error, because a fallback there would not
/// match the others.

#include "kernels/mpi/all_gather.hpp"
#include "kernels/mpi/reduce_scatter.hpp"

#include <contextual/config_space.hpp>
#include <contextual/kernel.hpp>

namespace contextual::kernels {

/// Rows of a message and pause: 6 configs.
ConfigSpace<AllGatherConfig> all_gather_space();
ConfigSpace<ReduceScatterConfig> reduce_scatter_space();

/// "mpi_all_gather"; key: rows of a shard, cols, ranks.
TunableKernel<void(const AllGatherConfig&, const AllGatherArgs&)>& all_gather();

/// "mpi_reduce_scatter"; key: rows of a share, cols, ranks.
TunableKernel<void(const ReduceScatterConfig&, const ReduceScatterArgs&)>& reduce_scatter();

}  // namespace contextual::kernels
