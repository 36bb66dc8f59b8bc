#pragma once

/// \file
/// The tunable exchanges between ranks, with config space, key and launcher, for all_gather.hpp and
/// reduce_scatter.hpp. There is one of each, which lives as long as the process.
///
/// All ranks must launch them with the same config, or the messages do not match. Each is therefore coupled
/// to itself: a config that fails on one rank ends the run with an error, because a fallback there would not
/// match the others.

#include <contextual/config_space.hpp>
#include <contextual/export.hpp>
#include <contextual/kernel.hpp>
#include <contextual/kernels/mpi/all_gather.hpp>
#include <contextual/kernels/mpi/reduce_scatter.hpp>

namespace contextual::kernels {

/// Rows of a message and pause: 6 configs.
CONTEXTUAL_API ConfigSpace<AllGatherConfig> all_gather_space();
CONTEXTUAL_API ConfigSpace<ReduceScatterConfig> reduce_scatter_space();

/// "mpi_all_gather"; key: rows of a shard, cols, ranks.
CONTEXTUAL_API TunableKernel<void(const AllGatherConfig&, const AllGatherArgs&)>& all_gather();

/// "mpi_reduce_scatter"; key: rows of a share, cols, ranks.
CONTEXTUAL_API TunableKernel<void(const ReduceScatterConfig&, const ReduceScatterArgs&)>& reduce_scatter();

}  // namespace contextual::kernels
