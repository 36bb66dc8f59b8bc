#include "kernels/cuda/split_order.hpp"

#include "kernels/cuda/gemm_scatter.hpp"
#include "kernels/cuda/peers/workspace_parts.hpp"
#include "support/catch.hpp"

#include <tuple>

namespace contextual::kernels::cuda::split_order_test {

namespace {

struct Problem {
  int m;
  int n;
  int ranks;
  bool all_rows;
};

std::vector<Problem> problems() {
  std::vector<Problem> all;
  for (int ranks = 1; ranks <= 8; ++ranks) {
    for (const int m : {1, ranks + 1, 130}) {
      for (const int n : {8, 400}) {
        all.push_back({m, n, ranks, false});
        all.push_back({m, n, ranks, true});
      }
    }
  }
  return all;
}

/// Fails unless each row is stored once by a source and added once, with flags that have room.
void check_order(const Problem& problem, const ScatterLayout& slots, const TileOrder& order, int splits) {
  const int owners = problem.all_rows ? 1 : problem.ranks;
  const SplitWalk walk(order, splits, problem.m, problem.n, slots.rows_of_owner);
  REQUIRE(walk.owners <= owners);
  using Part = std::tuple<int, int, int, int>;  // owner, its row, tile along n, split
  std::set<Part> stored;
  std::set<std::tuple<int, int>> flags;
  for (int ticket = 0; ticket < walk.tiles(); ++ticket) {
    for (int block = 0; block < order.cluster; ++block) {
      const SplitTile tile = walk.tile(ticket, block);
      const int rows = walk.rows_of(tile.owner);
      for (int row = tile.row; row < std::min(rows, tile.row + order.block_m); ++row) {
        REQUIRE(stored.emplace(tile.owner, row, tile.n, tile.split).second);
        REQUIRE(walk.flag(row, tile.n, tile.split) == walk.flag(tile.row, tile.n, tile.split));
      }
      if (tile.row < rows) {
        const int flag = walk.flag(tile.row, tile.n, tile.split);
        REQUIRE(flag < walk.flags_per_source());
        REQUIRE(flags.emplace(tile.owner, flag).second);
      }
    }
  }
  REQUIRE(static_cast<int>(stored.size()) == problem.m * walk.n_tiles * splits);
  for (int owner = 0; owner < owners; ++owner) {
    std::set<std::tuple<int, int>> added;
    for (int ticket = walk.tiles(); ticket < walk.count(owner); ++ticket) {
      for (int block = 0; block < order.cluster; ++block) {
        const SplitSum sum = walk.sum(owner, ticket, block);
        const int end = std::min(sum.row + SplitWalk::rows_of_sum, walk.rows_of(owner));
        for (int row = sum.row; sum.n < walk.n_tiles && row < end; ++row) {
          REQUIRE(added.emplace(row, sum.n).second);
        }
      }
    }
    REQUIRE(static_cast<int>(added.size()) == walk.rows_of(owner) * walk.n_tiles);
  }
  REQUIRE(slots.slot(problem.ranks * splits) <= slots.bytes());
  const auto all_flags =
      static_cast<std::size_t>(problem.ranks) * static_cast<std::size_t>(walk.flags_per_source());
  REQUIRE(all_flags * sizeof(TileFlag) <= PeerWorkspace::Parts::flag_bytes(slots.bytes()));
}

}  // namespace

TEST_CASE("order of a split k: each row is stored once by each source and split, and added once") {
  for (const Problem& problem : problems()) {
    const GemmReduceScatterShape shape{problem.m, problem.n, 8, GemmType::bf16, problem.all_rows};
    const ScatterLayout slots = layout_of(shape, problem.ranks);
    for (const int block_m : {64, 128, 256}) {
      for (const int cluster : {1, 2}) {
        for (int splits = 1; splits <= most_splits(shape, problem.ranks); splits *= 2) {
          INFO(problem.m << " x " << problem.n << ", " << problem.ranks << " ranks, " << block_m
                         << " rows, cluster " << cluster << ", " << splits << " splits"
                         << (problem.all_rows ? ", all rows" : ""));
          check_order(problem, slots, {block_m, 128, cluster, 1, true}, splits);
        }
      }
    }
  }
}

TEST_CASE("workspace of a reduce-scatter: more rows need no less") {
  for (const bool all_rows : {false, true}) {
    for (int ranks = 1; ranks <= 8; ++ranks) {
      std::size_t before = 0;
      for (int m = 1; m < 3000; ++m) {
        const std::size_t bytes = layout_of({m, 8, 8, GemmType::bf16, all_rows}, ranks).bytes();
        REQUIRE(bytes >= before);
        before = bytes;
      }
    }
  }
}

}  // namespace contextual::kernels::cuda::split_order_test
