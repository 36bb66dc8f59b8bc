#include "kernels/cuda/gather_order.hpp"

#include "kernels/cuda/peers/workspace_parts.hpp"
#include "support/catch.hpp"

#include <contextual/kernels/row_partition.hpp>

namespace contextual::kernels::cuda::gather_order_test {

namespace {

using Place = std::pair<int, int>;  // row and column, in pieces

int divide_up(int a, int b) {
  return (a + b - 1) / b;
}

}  // namespace

TEST_CASE("gather pieces: those of a rank are its rows, each with a flag that has room") {
  for (int ranks = 1; ranks <= 8; ++ranks) {
    for (const int m : {1, ranks + 1, 64 * ranks, 600 * ranks - 3}) {
      for (const int k : {8, 128, 136, 1160}) {
        CAPTURE(ranks, m, k);
        const RowPartition partition(m, ranks);
        const GatherPieces pieces(m, partition.rows_per_shard(), k);
        for (int rank = 0; rank < ranks; ++rank) {
          const Rows rows = partition.shard(rank);
          REQUIRE(pieces.rows_of(rank) == rows.count());
          std::set<Place> places;
          for (int flag = 0; flag < pieces.count(rank); ++flag) {
            const GatherPiece piece = pieces.piece(rank, flag);
            const int across = piece.column / GatherPieces::columns;
            const int part = across / pieces.across_of_part;
            places.emplace(piece.row / GatherPieces::rows, across);
            REQUIRE(piece.row < rows.count());
            REQUIRE(piece.column < k);
            REQUIRE(part < pieces.parts);
            REQUIRE(flag - pieces.first_flag(rank, part, piece.row) == across % pieces.across_of_part);
          }
          const int all = divide_up(rows.count(), GatherPieces::rows) * divide_up(k, GatherPieces::columns);
          CHECK(static_cast<int>(places.size()) == all);
          CHECK(pieces.count(rank) <= PeerWorkspace::Parts::flags_per_source(partition.rows_per_shard(), k));
        }
      }
    }
  }
}

TEST_CASE("gather walk: each tile of each product once, rows of this rank first") {
  const std::vector<std::vector<int>> all_columns{{8}, {264}, {512, 8, 136}, {128, 256, 384, 1000}};
  for (const auto& columns : all_columns) {
    for (const int cluster : {1, 2}) {
      for (const bool along_n : {true, false}) {
        for (const auto& [m, ranks] :
             {std::pair{900, 1}, {900, 2}, {901, 2}, {900, 9}, {1024, 2}, {3000, 2}, {7, 8}}) {
          const TileOrder order{128, 128, cluster, 4, along_n};
          const RowPartition partition(m, ranks);
          for (int rank = 0; rank < ranks; ++rank) {
            CAPTURE(columns.size(), cluster, along_n, m, ranks, rank);
            const GatherWalk walk(order, m, rank, partition.rows_per_shard(),
                                  static_cast<int>(columns.size()), columns.data());
            const Rows own_rows = partition.shard(rank);
            const auto is_own = [&](const GatherTile& tile) {
              return tile.row >= own_rows.begin &&
                     std::min(tile.row + 128 * cluster, tile.end) <= own_rows.begin + own_rows.count();
            };
            bool others_have_begun = false;
            std::set<std::pair<int, Place>> tiles;
            std::size_t rows_of_columns = 0;
            for (int ticket = 0; ticket < walk.count(); ++ticket) {
              const bool own = is_own(walk.tile(ticket, 0));
              REQUIRE((!own || !others_have_begun));
              others_have_begun = !own;
              for (int block = 0; block < cluster; ++block) {
                const GatherTile tile = walk.tile(ticket, block);
                REQUIRE(tile.column < columns[static_cast<std::size_t>(tile.product)]);
                REQUIRE(tiles.insert({tile.product, {tile.row, tile.column}}).second);
                REQUIRE(tile.row == tile.z * walk.matrix_rows + tile.y);
                REQUIRE(tile.end == (tile.z + 1) * walk.matrix_rows);
                rows_of_columns += static_cast<std::size_t>(std::clamp(tile.end - tile.row, 0, 128));
              }
            }
            std::size_t n_tiles = 0;
            for (const int n : columns) {
              n_tiles += static_cast<std::size_t>(divide_up(n, 128));
            }
            CHECK(tiles.size() == static_cast<std::size_t>(divide_up(m, 128 * cluster) * cluster) * n_tiles);
            CHECK(rows_of_columns == static_cast<std::size_t>(m) * n_tiles);
          }
        }
      }
    }
  }
}

TEST_CASE("gather walk: shards have tiles of their own where that takes no more of them") {
  const auto matrix_rows = [](int m, int ranks, int cluster) {
    const RowPartition partition(m, ranks);
    return GatherWalk({128, 240, cluster, 8, true}, m, 0, partition.rows_per_shard(), 0, nullptr).matrix_rows;
  };
  CHECK(matrix_rows(3000, 2, 2) == 1500);
  CHECK(matrix_rows(4096, 4, 2) == 1024);
  CHECK(matrix_rows(2600, 2, 1) == 2600);  // 2 x 11 tiles, not 21
  CHECK(matrix_rows(2560, 2, 1) == 1280);
  CHECK(matrix_rows(2560, 2, 2) == 1280);
  CHECK(matrix_rows(128, 2, 1) == 128);
  CHECK(matrix_rows(2999, 2, 1) == 2999);  // the last shard is shorter
}

}  // namespace contextual::kernels::cuda::gather_order_test
