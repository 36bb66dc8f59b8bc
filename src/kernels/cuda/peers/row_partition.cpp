#include <contextual/error.hpp>
#include <contextual/kernels/row_partition.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace contextual::kernels {
namespace {

int divide_up(int a, int b) {
  return a / b + (a % b == 0 ? 0 : 1);
}

/// Part `index` of `whole`, in parts of `size` rows.
Rows part_of(Rows whole, int size, int index) {
  const std::int64_t begin = whole.begin + std::int64_t{size} * index;
  const auto cut = [&](std::int64_t row) { return static_cast<int>(std::min<std::int64_t>(row, whole.end)); };
  return {cut(begin), cut(begin + size)};
}

}  // namespace

RowPartition::RowPartition(int m, int ranks, int chunks) : m_(m), ranks_(ranks), chunks_(chunks) {
  if (m < 1 || ranks < 1 || chunks < 1 || chunks > most_chunks) {
    throw InvalidArgument("a row partition needs at least one row and rank, and 1 to 16 chunks, not " +
                          std::to_string(m) + ", " + std::to_string(ranks) + " and " +
                          std::to_string(chunks));
  }
  rows_per_shard_ = divide_up(m, ranks);
  rows_per_chunk_ = divide_up(rows_per_shard_, chunks);
}

Rows RowPartition::shard(int rank) const noexcept {
  return part_of({0, m_}, rows_per_shard_, rank);
}

Rows RowPartition::chunk(int rank, int index) const noexcept {
  return part_of(shard(rank), rows_per_chunk_, index);
}

}  // namespace contextual::kernels
