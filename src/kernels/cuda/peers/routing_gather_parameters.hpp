#pragma once

/// \file
/// The parameters of the kernel that gathers the experts that rows choose. Also compiled by NVRTC.

#include "peer_control.hpp"

namespace contextual::kernels::cuda {

/// Of the rows of all ranks, [rows, top_k] each.
struct RowChoices {
  int* ids;
  float* weights;
};

struct RoutingGatherParameters {
  PeerBegin peers;
  RowChoices from[PeerControl::most_ranks];  ///< by rank: where it has those of its rows
  RowChoices to;                             ///< of ids -1 and weights NaN if the call has failed
  int count;                                 ///< of each, of all ranks
  int count_per_shard;
};

}  // namespace contextual::kernels::cuda
