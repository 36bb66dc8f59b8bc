#include "kernels/cuda/gather_order.hpp"

#include "kernels/cuda/peers/workspace_parts.hpp"
#include "support/catch.hpp"

#include <contextual/kernels/row_partition.hpp>

#include <set>
#include <utility>
#include <vector>

namespace gather_order_test {

using contextual::kernels::RowPartition;
using contextual::kernels::Rows;
using contextual::kernels::cuda::GatherPiece;
using contextual::kernels::cuda::GatherPieces;
using contextual::kernels::cuda::GatherTile;
using contextual::kernels::cuda::GatherWalk;
using contextual::kernels::cuda::PeerWorkspace;
using contextual::kernels::cuda::TileOrder;

namespace {

using Place = std::pair<int, int>;  // row and column, in pieces

int divide_up(int a, int b) {
  return (a + b - 1) / b;
}

}  // namespace

TEST_CASE("gather pieces: those of a rank are its rows, each with a flag that has room", "[unit]") {
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

TEST_CASE("gather walk: each tile of each product once, rows of this rank first", "[unit]") {
  const std::vector<std::vector<int>> all_columns{{8}, {264}, {512, 8, 136}, {128, 256, 384, 1000}};
  for (const auto& columns : all_columns) {
    for (const int cluster : {1, 2}) {
      for (const bool along_n : {true, false}) {
        for (const auto& [first_row, end_row] : {std::pair{0, 900},
                                                 {0, 450},
                                                 {450, 900},
                                                 {100, 200},
                                                 {300, 600},
                                                 {512, 900},
                                                 {899, 900},
                                                 {900, 900}}) {
          constexpr int m = 900;
          const TileOrder order{128, 128, cluster, 4, along_n};
          CAPTURE(columns.size(), cluster, along_n, first_row, end_row);
          const GatherWalk walk(order, m, first_row, end_row, static_cast<int>(columns.size()),
                                columns.data());
          const int rows = 128 * cluster;
          const auto is_own = [&, first = first_row, end = end_row](int row) {
            return row >= first && std::min(row + rows, m) <= end;
          };
          bool others_have_begun = false;
          std::set<std::pair<int, Place>> tiles;
          for (int ticket = 0; ticket < walk.count(); ++ticket) {
            const bool own = is_own(walk.tile(ticket, 0).row);
            REQUIRE((!own || !others_have_begun));
            others_have_begun = !own;
            for (int block = 0; block < cluster; ++block) {
              const GatherTile tile = walk.tile(ticket, block);
              REQUIRE(tile.column < columns[static_cast<std::size_t>(tile.product)]);
              REQUIRE(tiles.insert({tile.product, {tile.row, tile.column}}).second);
            }
          }
          std::size_t expected = 0;
          for (const int n : columns) {
            expected += static_cast<std::size_t>(divide_up(m, 128 * cluster) * cluster * divide_up(n, 128));
          }
          CHECK(tiles.size() == expected);
          const int first = walk.tile(0, 0).row;
          CHECK((first >= first_row || first == 0));
          CHECK(first < first_row + rows);
        }
      }
    }
  }
}

}  // namespace gather_order_test
