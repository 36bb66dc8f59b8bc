#pragma once

/// \file
/// The order in which blocks take rows that each belong to a rank. Also compiled by NVRTC.

#include "gemm_order.hpp"

namespace contextual::kernels::cuda {

/// Rows of one owner, which a block takes at a time.
struct RowUnit {
  int owner;
  int index;  ///< among those of its owner
  int first;  ///< row of its owner's
  int count;  ///< of rows; 0 if the owner has fewer than others
};

/// Those of the next rank come first and own ones last: whoever waits for a unit of own rows waits for what
/// its source takes before own ones.
struct RowUnits {
  static constexpr int least_rows = 8;  ///< of a unit, for which PeerWorkspace has flags

  int unit_rows;
  int rank;
  int ranks;
  int rows_of_owner;  ///< the last ones may have fewer
  int m;

  CONTEXTUAL_HOST_DEVICE constexpr int of_owner() const {
    return (rows_of_owner + unit_rows - 1) / unit_rows;
  }
  CONTEXTUAL_HOST_DEVICE constexpr int count() const { return ranks * of_owner(); }
  CONTEXTUAL_HOST_DEVICE constexpr RowUnit operator[](int ticket) const {
    const int owner = (rank + 1 + ticket / of_owner()) % ranks;
    const int index = ticket % of_owner();
    const int first = index * unit_rows;
    const int rest = rows_of(owner) - first;
    return {owner, index, first, rest < 0 ? 0 : rest < unit_rows ? rest : unit_rows};
  }
  CONTEXTUAL_HOST_DEVICE constexpr int rows_of(int owner) const {
    const int rest = m - owner * rows_of_owner;
    return rest < 0 ? 0 : rest < rows_of_owner ? rest : rows_of_owner;
  }
};

}  // namespace contextual::kernels::cuda
