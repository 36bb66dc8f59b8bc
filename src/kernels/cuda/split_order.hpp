#pragma once

/// \file
/// The order of a product of few rows whose k is split, and where its parts are added. Also compiled by
/// NVRTC.

#include "gemm_order.hpp"

namespace contextual::kernels::cuda {

/// A tile of a block, over one part of k.
struct SplitTile {
  int owner;  ///< of its rows; beyond the last one if there are none
  int row;    ///< the first one, of the owner's
  int n;
  int split;
};

/// What is added at a time: 64 rows of a tile's columns.
struct SplitSum {
  int row;  ///< the first one, of those that this rank gets
  int n;    ///< of a tile; beyond the last one if there is nothing
};

/// All tiles, then all sums: whoever adds waits for tiles that each rank takes at smaller tickets. Tiles that
/// read the same of B follow each other. If all ranks get all rows, one owner stands for them.
struct SplitWalk {
  static constexpr int rows_of_sum = 64;

  TileOrder order;
  int splits;
  int m;
  int owners;         // that have rows
  int rows_of_owner;  // the last ones may have fewer
  int tiles_of_owner;
  int clusters_down;
  int n_tiles;

  CONTEXTUAL_HOST_DEVICE constexpr SplitWalk(TileOrder its_order, int its_splits, int rows, int columns,
                                             int owner_rows)
      : order(its_order),
        splits(its_splits),
        m(rows),
        owners((rows + owner_rows - 1) / owner_rows),
        rows_of_owner(owner_rows),
        tiles_of_owner((owner_rows + order.block_m - 1) / order.block_m),
        clusters_down((owners * tiles_of_owner + order.cluster - 1) / order.cluster),
        n_tiles((columns + order.block_n - 1) / order.block_n) {}

  CONTEXTUAL_HOST_DEVICE constexpr int rows_of(int owner) const {
    const int rest = m - owner * rows_of_owner;
    return rest < 0 ? 0 : rest < rows_of_owner ? rest : rows_of_owner;
  }
  /// Of tickets.
  CONTEXTUAL_HOST_DEVICE constexpr int tiles() const { return clusters_down * splits * n_tiles; }
  /// Of tickets, with the sums of an owner.
  CONTEXTUAL_HOST_DEVICE constexpr int count(int owner) const {
    return tiles() + (sums_down(owner) * n_tiles + order.cluster - 1) / order.cluster;
  }
  CONTEXTUAL_HOST_DEVICE constexpr SplitTile tile(int ticket, int block_in_cluster) const {
    const int down = ticket % clusters_down * order.cluster + block_in_cluster;
    const int rest = ticket / clusters_down;
    return {down / tiles_of_owner, down % tiles_of_owner * order.block_m, rest / splits, rest % splits};
  }
  /// Of a ticket behind the tiles.
  CONTEXTUAL_HOST_DEVICE constexpr SplitSum sum(int owner, int ticket, int block_in_cluster) const {
    const int index = (ticket - tiles()) * order.cluster + block_in_cluster;
    return {index % sums_down(owner) * rows_of_sum, index / sums_down(owner)};
  }
  /// Returns the flag, of those of a source at the owner, of the tile that has this row of the owner.
  CONTEXTUAL_HOST_DEVICE constexpr int flag(int row, int n, int split) const {
    return (split * tiles_of_owner + row / order.block_m) * n_tiles + n;
  }
  CONTEXTUAL_HOST_DEVICE constexpr int flags_per_source() const { return splits * tiles_of_owner * n_tiles; }

 private:
  CONTEXTUAL_HOST_DEVICE constexpr int sums_down(int owner) const {
    return (rows_of(owner) + rows_of_sum - 1) / rows_of_sum;
  }
};

}  // namespace contextual::kernels::cuda
