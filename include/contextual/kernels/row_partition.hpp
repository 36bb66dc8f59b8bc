#pragma once

/// \file
/// How the rows of a matrix are spread over ranks.

#include <contextual/export.hpp>

namespace contextual::kernels {

/// Rows [begin, end) of a matrix.
struct Rows {
  int begin = 0;
  int end = 0;

  int count() const noexcept { return end - begin; }
  bool empty() const noexcept { return begin == end; }
  friend bool operator==(const Rows&, const Rows&) = default;
};

/// The rows of a matrix in shards, one for each rank, and each shard in chunks. A value type.
///
/// A shard has ceil(m / ranks) rows, and a chunk has ceil(rows of a shard / chunks), as torch.chunk divides.
/// The last ones have fewer rows, or none.
class CONTEXTUAL_API RowPartition {
 public:
  static constexpr int most_chunks = 16;  ///< of a shard: so many flags has each shard, whatever its chunks

  /// Throws InvalidArgument unless m and ranks are at least 1, and chunks from 1 to `most_chunks`.
  RowPartition(int m, int ranks, int chunks = 1);

  int m() const noexcept { return m_; }
  int ranks() const noexcept { return ranks_; }
  int chunks() const noexcept { return chunks_; }  ///< of a shard
  int rows_per_shard() const noexcept { return rows_per_shard_; }
  int rows_per_chunk() const noexcept { return rows_per_chunk_; }

  Rows shard(int rank) const noexcept;
  Rows chunk(int rank, int index) const noexcept;

  /// Returns the index of a chunk's flag among those of all ranks.
  static int flag(int rank, int index) noexcept { return rank * most_chunks + index; }
  int flag_count() const noexcept { return ranks_ * most_chunks; }

 private:
  int m_;
  int ranks_;
  int chunks_;
  int rows_per_shard_;
  int rows_per_chunk_;
};

}  // namespace contextual::kernels
