#include "kernels/cuda/gemm_order.hpp"

#include "support/catch.hpp"

#include <contextual/kernels/row_partition.hpp>

#include <tuple>

namespace contextual::kernels::cuda::gemm_order_test {

namespace {

struct Problem {
  int m;
  int n;
  int ranks;
};

/// Shards without rows, of less than a tile, and of several ones, in numbers that clusters do not divide; at
/// the end such with more tiles than own ones come behind the others'.
const std::vector<Problem>& problems() {
  static const auto all = [] {
    std::vector<Problem> result;
    for (int ranks = 2; ranks <= 8; ++ranks) {
      for (const int m : {1, ranks + 1, 64 * ranks, 200 * ranks - 3, 900}) {
        for (const int n : {8, 264, 1100}) {
          result.push_back({m, n, ranks});
        }
      }
    }
    for (const int ranks : {2, 3, 8}) {
      result.push_back({64 * (ScatterWalk::most_lag + 7) * ranks - 3, 8, ranks});
    }
    return result;
  }();
  return all;
}

const std::vector<TileOrder>& orders() {
  static const auto all = [] {
    std::vector<TileOrder> result;
    for (const int block_m : {64, 128, 256}) {
      for (const auto& [cluster, beside] : {std::pair{1, 1}, {2, 1}, {1, 2}}) {
        for (const int group : {1, 4, 16}) {
          result.push_back({block_m, 128, cluster, group, true, beside});
          result.push_back({block_m, 128, cluster, group, false, beside});
        }
      }
    }
    return result;
  }();
  return all;
}

ScatterWalk walk_of(const TileOrder& order, const Problem& problem, int rank) {
  const RowPartition partition(problem.m, problem.ranks);
  return {order, rank, problem.ranks, partition.rows_per_shard(), problem.m, problem.n};
}

/// (owner, flag): a part that a source stores.
using Part = std::tuple<int, int, int>;  // and the source

/// Runs the calls of all ranks, each by one cluster, which waits in each tile of its own for all parts.
/// Returns true if they all end.
bool ends_by_one_cluster_each(const TileOrder& order, const Problem& problem) {
  std::vector<int> tickets(static_cast<std::size_t>(problem.ranks));
  std::set<Part> stored;
  for (bool moves = true; moves;) {
    moves = false;
    for (int rank = 0; rank < problem.ranks; ++rank) {
      int& ticket = tickets[static_cast<std::size_t>(rank)];
      const ScatterWalk walk = walk_of(order, problem, rank);
      if (ticket == walk.count()) {
        continue;
      }
      bool complete = true;
      for (int block = 0; block < order.cluster * order.beside; ++block) {
        const ScatterTile tile = walk.tile(ticket, block);
        if (tile.owner >= 0 && tile.owner != rank) {
          moves = stored.insert({tile.owner, tile.flag, rank}).second || moves;
        }
        for (int source = 0; tile.owner == rank && source < problem.ranks; ++source) {
          complete = complete && (source == rank || stored.contains({rank, tile.flag, source}));
        }
      }
      if (complete) {
        ++ticket;
        moves = true;
      }
    }
  }
  for (int rank = 0; rank < problem.ranks; ++rank) {
    if (tickets[static_cast<std::size_t>(rank)] != walk_of(order, problem, rank).count()) {
      return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("order of a reduce-scatter: one cluster of each rank is enough, in any order of its configs") {
  for (const Problem& problem : problems()) {
    for (const TileOrder& order : orders()) {
      INFO(problem.m << " x " << problem.n << ", " << problem.ranks << " ranks, " << order.block_m
                     << " rows, cluster " << order.cluster << " x " << order.beside << ", group "
                     << order.group << (order.along_n ? " along n" : " along m"));
      REQUIRE(ends_by_one_cluster_each(order, problem));
    }
  }
}

TEST_CASE(
    "order of a reduce-scatter: every element of C is in one tile, and all ranks mean the same by a flag") {
  for (const Problem& problem : problems()) {
    const RowPartition partition(problem.m, problem.ranks);
    for (const TileOrder& order : orders()) {
      std::map<std::tuple<int, int>, std::tuple<int, int>> place_of_flag;  // by owner
      for (int rank = 0; rank < problem.ranks; ++rank) {
        const ScatterWalk walk = walk_of(order, problem, rank);
        std::set<std::tuple<int, int>> places;
        for (int ticket = 0; ticket < walk.count(); ++ticket) {
          for (int block = 0; block < order.cluster * order.beside; ++block) {
            const ScatterTile tile = walk.tile(ticket, block);
            if (tile.owner < 0) {
              REQUIRE((tile.a_row >= problem.m || tile.column >= problem.n));
              continue;
            }
            REQUIRE(tile.a_row == partition.shard(tile.owner).begin + tile.row);
            REQUIRE(tile.row % order.block_m == 0);
            REQUIRE(tile.column % order.block_n == 0);
            REQUIRE(places.insert({tile.a_row, tile.column}).second);
            const auto place = place_of_flag.try_emplace({tile.owner, tile.flag}, tile.row, tile.column);
            REQUIRE(place.first->second == std::tuple(tile.row, tile.column));
          }
        }
        std::size_t wanted = 0;
        for (int owner = 0; owner < problem.ranks; ++owner) {
          wanted +=
              static_cast<std::size_t>((partition.shard(owner).count() + order.block_m - 1) / order.block_m) *
              static_cast<std::size_t>((problem.n + order.block_n - 1) / order.block_n);
        }
        REQUIRE(places.size() == wanted);
      }
    }
  }
}

}  // namespace contextual::kernels::cuda::gemm_order_test
