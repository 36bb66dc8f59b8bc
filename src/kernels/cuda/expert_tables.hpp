#pragma once

/// \file
/// What an ExpertRouting consists of. Also compiled by NVRTC.

namespace contextual::kernels::cuda {

/// Some positions of an expert, which are the rows of a tile.
struct alignas(16) ExpertTile {
  int expert;
  int first;
  int end;           ///< of the expert's positions; the tile may be higher
  unsigned sources;  ///< bits of the ranks from that of its first row to that of its last one
};

/// On the device.
struct ExpertTables {
  static constexpr int most_ranks = 8;
  static constexpr int most_experts = 512;
  static constexpr int least_height = 64;
  static constexpr int lists = 3;  ///< of tiles of 64, 128 and 256 rows: own ones first, then by expert

  int experts;
  int top_k;
  int* offsets;     ///< [experts + 1]
  int* rows;        ///< by position
  int* positions;   ///< by row and place
  int* tile_count;  ///< by list
  ExpertTile* tiles[lists];
};

/// The kernels of a preparation. A block of the first two has `entries` pairs of row and place, one of the
/// last has a list of tiles.
struct ExpertRoutingParameters {
  static constexpr int threads = 1024;
  static constexpr int entries_of_thread = 4;
  static constexpr int entries = threads * entries_of_thread;

  ExpertTables tables;
  const int* ids;
  int count;       ///< of pairs
  int* of_blocks;  ///< by block and expert: how many pairs; then the position of the first of them
  unsigned* done;  ///< blocks; 0 between preparations
  ExpertTile*
      listed[ExpertTables::lists];  ///< the tiles by expert; the tables' own where all rows are of one rank
  int rank;
  int ranks;
  int rows_per_shard;
};

/// The sum of a row over its experts.
struct ExpertSumParameters {
  const int* positions;
  const float* topk_weights;
  const void* y;
  void* out;
  int rows;
  int positions_of_rows;  ///< those behind them, of a routing of more rows, are none
  int top_k;
  int n;
  bool fp16;
};

}  // namespace contextual::kernels::cuda
