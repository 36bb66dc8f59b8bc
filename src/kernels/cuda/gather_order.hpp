#pragma once

/// \file
/// The order of an all-gather GEMM: in which pieces ranks fetch each other's rows, and which tiles of C
/// a cluster takes. Also compiled by NVRTC.

#include "gemm_order.hpp"

namespace contextual::kernels::cuda {

/// Of a source's rows: the first row, of its shard, and column.
struct GatherPiece {
  int row;
  int column;
};

/// Each rank's shard in pieces, which are fetched from its first row on. If it has few rows, then its first
/// columns come before all others: nobody has enough own rows to multiply until all of k is there.
struct GatherPieces {
  static constexpr int rows = 64;
  static constexpr int columns = 128;
  static constexpr int most_parts = 4;
  static constexpr int few_rows =
      512;  ///< the tiles of own rows would not fill a device while the others come

  int m;
  int rows_per_shard;
  int across;          ///< pieces of all of k
  int across_of_part;  ///< of k: that come one after another; the last part may have fewer
  int parts;

  CONTEXTUAL_HOST_DEVICE constexpr GatherPieces(int all_rows, int shard_rows, int k)
      : m(all_rows),
        rows_per_shard(shard_rows),
        across((k + columns - 1) / columns),
        across_of_part(shard_rows <= few_rows ? (across + most_parts - 1) / most_parts : across),
        parts((across + across_of_part - 1) / across_of_part) {}

  CONTEXTUAL_HOST_DEVICE constexpr int rows_of(int rank) const {
    const int rest = m - rank * rows_per_shard;
    return rest < 0 ? 0 : rest < rows_per_shard ? rest : rows_per_shard;
  }
  CONTEXTUAL_HOST_DEVICE constexpr int count(int rank) const { return down(rank) * across; }
  CONTEXTUAL_HOST_DEVICE constexpr int across_in(int part) const {
    const int rest = across - part * across_of_part;
    return rest < across_of_part ? rest : across_of_part;
  }
  /// Returns the flag of the first piece of a part that has a row of a rank's shard; those of the others of
  /// these rows follow.
  CONTEXTUAL_HOST_DEVICE constexpr int first_flag(int rank, int part, int row) const {
    return part * across_of_part * down(rank) + row / rows * across_in(part);
  }
  /// Returns the piece that a flag of a rank is about.
  CONTEXTUAL_HOST_DEVICE constexpr GatherPiece piece(int rank, int flag) const {
    const int in_part = across_of_part * down(rank);
    const int part = flag / in_part;
    const int rest = flag - part * in_part;
    return {rest / across_in(part) * rows, (part * across_of_part + rest % across_in(part)) * columns};
  }

 private:
  CONTEXTUAL_HOST_DEVICE constexpr int down(int rank) const { return (rows_of(rank) + rows - 1) / rows; }
};

/// A tile of C of one of several products of the same rows.
struct GatherTile {
  int row;      ///< the first one
  int end;      ///< of the rows, which may be before that of the tile
  int z;        ///< of C's matrices of `GatherWalk::matrix_rows`
  int y;        ///< the first row, of that matrix
  int product;  ///< of those whose columns follow each other
  int column;   ///< the first one, of the product
};

/// The order of tiles: first those whose rows are all of this rank, then the others from there on, and from
/// the top. If that takes no more tiles, each shard has tiles of its own, and nobody waits for the end of one
/// with the begin of the next.
struct GatherWalk {
  static constexpr int most_products = 4;

  TileOrder order;
  int matrix_rows;   ///< of a shard, if it has tiles of its own; otherwise of all
  int matrix_tiles;  // of clusters
  int m_tiles;       // of all
  int first_m;
  int own_m;
  int products;
  int ends[most_products];  // by product, in tiles along n
  int n_tiles;

  CONTEXTUAL_HOST_DEVICE constexpr GatherWalk(TileOrder its_order, int m, int rank, int rows_per_shard,
                                              int its_products, const int* columns)
      : order(its_order),
        matrix_rows(has_own_tiles(m, rows_per_shard) ? rows_per_shard : m),
        matrix_tiles(clusters(matrix_rows)),
        m_tiles(m / matrix_rows * matrix_tiles),
        first_m(first_tile(m, rank * rows_per_shard, true)),
        own_m(count_own(first_tile(m, (rank + 1) * rows_per_shard, false))),
        products(its_products),
        ends{},
        n_tiles(count_columns(columns)) {}

  /// Of tickets.
  CONTEXTUAL_HOST_DEVICE constexpr int count() const { return m_tiles * n_tiles; }
  CONTEXTUAL_HOST_DEVICE constexpr GatherTile tile(int ticket, int block_in_cluster) const {
    const bool own = ticket < own_m * n_tiles;
    const int skipped = own ? 0 : own_m;
    const Tile tile = Bands(order, own ? own_m : m_tiles - own_m, n_tiles)[ticket - skipped * n_tiles];
    const int m_tile = (first_m + skipped + tile.m) % m_tiles;
    const int matrix = m_tile / matrix_tiles;
    const int row = m_tile % matrix_tiles * rows_of_cluster() + block_in_cluster * order.block_m;
    int product = 0;
    while (tile.n >= ends[product]) {
      ++product;
    }
    return {matrix * matrix_rows + row,
            (matrix + 1) * matrix_rows,
            matrix,
            row,
            product,
            (tile.n - (product == 0 ? 0 : ends[product - 1])) * order.block_n};
  }

 private:
  CONTEXTUAL_HOST_DEVICE constexpr int rows_of_cluster() const { return order.block_m * order.cluster; }
  CONTEXTUAL_HOST_DEVICE constexpr int clusters(int rows) const {
    return (rows + rows_of_cluster() - 1) / rows_of_cluster();
  }
  CONTEXTUAL_HOST_DEVICE constexpr bool has_own_tiles(int m, int rows) const {
    return m % rows == 0 && m / rows * clusters(rows) == clusters(m);
  }
  /// Returns the first tile from this row on, or of the one that has it, too.
  CONTEXTUAL_HOST_DEVICE constexpr int first_tile(int m, int row, bool whole) const {
    if (row >= m) {
      return m_tiles;
    }
    const int rest = row % matrix_rows;
    return row / matrix_rows * matrix_tiles + (whole ? clusters(rest) : rest / rows_of_cluster());
  }
  CONTEXTUAL_HOST_DEVICE constexpr int count_own(int end_m) const {
    return end_m < first_m ? 0 : end_m - first_m;
  }
  CONTEXTUAL_HOST_DEVICE constexpr int count_columns(const int* columns) {
    int all = 0;
    for (int product = 0; product < products; ++product) {
      all += (columns[product] + order.block_n - 1) / order.block_n;
      ends[product] = all;
    }
    return all;
  }
};

}  // namespace contextual::kernels::cuda
