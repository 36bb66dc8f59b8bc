#pragma once

/// \file
/// The order in which clusters of blocks take tiles of C. Also compiled by NVRTC, so it includes nothing.

#ifdef __CUDACC__
#define CONTEXTUAL_HOST_DEVICE __host__ __device__
#else
#define CONTEXTUAL_HOST_DEVICE
#endif

namespace contextual::kernels::cuda {

/// Of a block, in tiles.
struct Tile {
  int m;
  int n;
};

/// The members of a GemmConfig that say what a cluster takes, and when.
struct TileOrder {
  int block_m;
  int block_n;
  int cluster;  ///< blocks, one below the other
  int group;
  bool along_n;
  int beside = 1;  ///< blocks beside each other, in a cluster that has none below the other
};

/// Bands of `group` tiles' width, along n (or m), tile by tile across.
struct Bands {
  int group;
  bool along_n;
  int across;  // tiles of a cluster in the direction in which bands follow each other
  int along;

  CONTEXTUAL_HOST_DEVICE constexpr Bands(TileOrder order, int m_tiles, int n_tiles)
      : group(order.group),
        along_n(order.along_n),
        across(along_n ? m_tiles : n_tiles),
        along(along_n ? n_tiles : m_tiles) {}

  CONTEXTUAL_HOST_DEVICE constexpr int count() const { return across * along; }
  CONTEXTUAL_HOST_DEVICE constexpr Tile operator[](int index) const {
    const int band = index / (group * along);
    const int width = group < across - band * group ? group : across - band * group;
    const int rest = index - band * group * along;
    const int x = band * group + rest % width;
    const int y = rest / width;
    return along_n ? Tile{x, y} : Tile{y, x};
  }
};

/// A tile of a block that belongs to one rank.
struct ScatterTile {
  int owner;   ///< of its rows; -1 if the tile is beyond the matrix
  int a_row;   ///< the first one
  int row;     ///< the same, of its shard
  int column;  ///< the first one
  int flag;    ///< of those of a source
  bool own;    ///< of this rank, or a tile of its cluster is
};

/// The order of a GEMM whose rows belong to several ranks. Tiles of others and own ones alternate, so that
/// what the others wait for leaves all the time; an own tile comes `lag` tiles behind the others' at its
/// place of their shards, so that its parts are there when it needs them.
struct ScatterWalk {
  static constexpr int most_lag = 144;  // of blocks: those of a device, which begin with others' tiles

  TileOrder order;
  int rank;
  int ranks;
  int rows_per_shard;
  int m;
  int n_tiles;
  Bands bands;  // of a shard
  int lag;

  CONTEXTUAL_HOST_DEVICE constexpr ScatterWalk(TileOrder its_order, int its_rank, int all_ranks,
                                               int shard_rows, int all_rows, int columns)
      : order(its_order),
        rank(its_rank),
        ranks(all_ranks),
        rows_per_shard(shard_rows),
        m(all_rows),
        n_tiles((columns + order.block_n - 1) / order.block_n),
        bands(order, (shard_rows + order.block_m * order.cluster - 1) / (order.block_m * order.cluster),
              (n_tiles + order.beside - 1) / order.beside),
        lag(most_lag / (order.cluster * order.beside)) {
    lag = lag < bands.count() ? lag : bands.count();
  }

  /// Of tickets.
  CONTEXTUAL_HOST_DEVICE constexpr int count() const { return bands.count() * ranks; }
  CONTEXTUAL_HOST_DEVICE constexpr ScatterTile tile(int ticket, int block_in_cluster) const {
    const int others = ranks - 1;
    const int both = ticket - lag * others;  // from the first own tile on
    const int last_own = both - (bands.count() - lag) * ranks;
    int index = 0;  // of a shard's tiles
    int turn = others;
    if (both < 0) {
      index = ticket / others;
      turn = ticket % others;
    } else if (last_own >= 0) {
      index = bands.count() - lag + last_own;
    } else {
      turn = both % ranks;
      index = both / ranks + (turn < others ? lag : 0);
    }
    const Tile of_cluster = bands[index];
    const int m_tile = of_cluster.m * order.cluster + block_in_cluster / order.beside;
    const int n_tile = of_cluster.n * order.beside + block_in_cluster % order.beside;
    const int row = m_tile * order.block_m;
    const int owner = (rank + 1 + turn) % ranks;
    const int a_row = owner * rows_per_shard + row;
    const bool has_rows = row < rows_per_shard && a_row < m;
    return {has_rows && n_tile < n_tiles ? owner : -1,
            has_rows ? a_row : m,
            row,
            n_tile * order.block_n,
            m_tile * n_tiles + n_tile,
            turn == others};
  }
};

}  // namespace contextual::kernels::cuda
