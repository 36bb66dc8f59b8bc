#include "support/catch.hpp"

#include <contextual/error.hpp>
#include <contextual/kernels/row_partition.hpp>

#include <limits>

namespace contextual::kernels::row_partition_test {

TEST_CASE("a row partition covers each row once, in order, for any number of rows, ranks and chunks") {
  for (const int m : {1, 2, 7, 8, 127, 128, 1000, 8182}) {
    for (int ranks = 1; ranks <= 8; ++ranks) {
      for (const int chunks : {1, 2, 3, 8}) {
        CAPTURE(m, ranks, chunks);
        const RowPartition partition(m, ranks, chunks);
        int next = 0;
        for (int rank = 0; rank < ranks; ++rank) {
          const Rows shard = partition.shard(rank);
          REQUIRE(shard.begin == next);
          REQUIRE(shard.count() <= partition.rows_per_shard());
          for (int index = 0; index < chunks; ++index) {
            const Rows chunk = partition.chunk(rank, index);
            REQUIRE(chunk.begin == next);
            REQUIRE(chunk.count() <= partition.rows_per_chunk());
            // As the GEMM finds the flag of a row.
            for (int row = chunk.begin; row < chunk.end; ++row) {
              const int owner = row / partition.rows_per_shard();
              REQUIRE(partition.flag(rank, index) ==
                      partition.flag(owner, row % partition.rows_per_shard() / partition.rows_per_chunk()));
            }
            next = chunk.end;
          }
          REQUIRE(shard.end == next);
        }
        REQUIRE(next == m);
      }
    }
  }
}

TEST_CASE("a row partition divides as torch.chunk does: the last shards are smaller or empty") {
  const RowPartition partition(5, 4);
  REQUIRE(partition.shard(0) == Rows{0, 2});
  REQUIRE(partition.shard(2) == Rows{4, 5});
  REQUIRE(partition.shard(3).empty());
}

TEST_CASE("a row partition of the largest matrix does not overflow") {
  const int most = std::numeric_limits<int>::max();
  const RowPartition partition(most, 8, 8);
  REQUIRE(partition.shard(7).end == most);
  REQUIRE(partition.chunk(7, 7).end == most);
}

TEST_CASE("a row partition without rows, ranks or chunks is refused") {
  REQUIRE_THROWS_AS(RowPartition(0, 2), InvalidArgument);
  REQUIRE_THROWS_AS(RowPartition(4, 0), InvalidArgument);
  REQUIRE_THROWS_AS(RowPartition(4, 2, 0), InvalidArgument);
  REQUIRE_THROWS_AS(RowPartition(4, 2, 17), InvalidArgument);
}

}  // namespace contextual::kernels::row_partition_test
