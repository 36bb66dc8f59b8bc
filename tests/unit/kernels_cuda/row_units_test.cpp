#include "kernels/cuda/row_units.hpp"

#include "kernels/cuda/expert_sum_scatter.hpp"
#include "kernels/cuda/peers/workspace_parts.hpp"
#include "support/catch.hpp"

#include <contextual/kernels/row_partition.hpp>

namespace contextual::kernels::cuda::row_units_test {

namespace {

RowUnits units_of(int unit_rows, int rank, int ranks, int m) {
  return {unit_rows, rank, ranks, RowPartition(m, ranks).rows_per_shard(), m};
}

}  // namespace

TEST_CASE("row units: each row of its owner is in one unit, those of the next rank first, own ones last") {
  for (int ranks = 1; ranks <= 8; ++ranks) {
    for (const int m : {1, 7, ranks + 1, 130, 514}) {
      for (const int unit_rows : {8, 64}) {
        const int rank = m % ranks;
        const RowUnits units = units_of(unit_rows, rank, ranks, m);
        const RowPartition partition(m, ranks);
        CAPTURE(ranks, m, unit_rows);
        std::vector<int> taken(static_cast<std::size_t>(ranks));  // rows, by owner
        for (int ticket = 0; ticket < units.count(); ++ticket) {
          const RowUnit unit = units[ticket];
          int& rows = taken[static_cast<std::size_t>(unit.owner)];
          REQUIRE(unit.owner == (rank + 1 + ticket / units.of_owner()) % ranks);
          REQUIRE(unit.index == ticket % units.of_owner());
          REQUIRE((unit.count == 0 || unit.first == rows));
          rows += unit.count;
        }
        for (int owner = 0; owner < ranks; ++owner) {
          CHECK(taken[static_cast<std::size_t>(owner)] == partition.shard(owner).count());
        }
        CHECK(units[units.count() - 1].owner == rank);
      }
    }
  }
}

TEST_CASE("row units: the flags of all sources have room, however small the rows are") {
  for (int ranks = 1; ranks <= 8; ++ranks) {
    for (const int m : {1, 65, 8192, 1 << 20}) {
      CAPTURE(ranks, m);
      const RowUnits units = units_of(RowUnits::least_rows, 0, ranks, m);
      const std::size_t bytes = layout_of({.m = m, .n = 8, .k = 8, .experts = 1, .top_k = 1}, ranks).bytes();
      CHECK(PeerWorkspace::Parts::flag_bytes(bytes) >=
            static_cast<std::size_t>(units.count()) * sizeof(TileFlag));
    }
  }
}

TEST_CASE("row units: no config has fewer rows than there are flags for") {
  for (const ExpertSumScatterConfig& config : expert_sum_scatter_space().configs()) {
    CHECK(config.unit_rows >= RowUnits::least_rows);
  }
}

}  // namespace contextual::kernels::cuda::row_units_test
