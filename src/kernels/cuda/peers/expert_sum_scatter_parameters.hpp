#pragma once

/// \file
/// The parameters of the sum over experts and ranks. Also compiled by NVRTC.

#include "kernels/cuda/expert_tables.hpp"
#include "kernels/cuda/row_units.hpp"
#include "peer_control.hpp"

namespace contextual::kernels::cuda {

struct ExpertSumScatterParameters {
  PeerBegin peers;
  RowUnits units;
  TileFlag* flags[PeerControl::most_ranks];  ///< by owner: its flags of all sources' units
  void* slots[PeerControl::most_ranks];      ///< by owner: this rank's slot there
  const void* own_slots;                     ///< [source][rows_of_owner][n]
  ExpertSumParameters sum;                   ///< `out` are own rows, filled with NaN if the call has failed
};

}  // namespace contextual::kernels::cuda
