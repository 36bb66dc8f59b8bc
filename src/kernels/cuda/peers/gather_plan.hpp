#pragma once

/// \file
/// What a rank copies, and whom it tells, so that every rank has all rows of a matrix: pure plans, without
/// CUDA.

#include <contextual/kernels/row_partition.hpp>

#include <variant>
#include <vector>

namespace contextual::kernels {

/// Copies rows from one rank's gathered matrix to the same rows of another's.
struct CopyRows {
  int from = 0;
  int to = 0;
  Rows rows;

  friend bool operator==(const CopyRows&, const CopyRows&) = default;
};

/// Sets a ready flag of a rank: the rows that it stands for are there.
struct SetReady {
  int rank = 0;
  int flag = 0;

  friend bool operator==(const SetReady&, const SetReady&) = default;
};

/// Tells a rank that this lane of this rank will not read that rank's rows any more.
struct TellDone {
  int rank = 0;

  friend bool operator==(const TellDone&, const TellDone&) = default;
};

using GatherStep = std::variant<CopyRows, SetReady, TellDone>;

/// One rank's part of an all-gather, in lanes. The steps of a lane are carried out one after another, the
/// lanes beside each other.
///
/// It may begin when every rank has its own rows in place and has lowered its flags. While it runs, own rows
/// may be read, and other rows once their flags are set. If `peers_read_own_rows`, the rank may change its
/// own rows only after every lane of every other rank has told it so; otherwise after its own lanes have
/// ended.
struct GatherPlan {
  std::vector<std::vector<GatherStep>> lanes;
  bool peers_read_own_rows = false;
};

/// Each rank fetches the other ranks' rows, chunk by chunk, from the ranks that follow it, in their order. So
/// no two ranks fetch from the same rank at a time. Chunks are dealt to the lanes in turn; `lanes` is at
/// least 1.
GatherPlan pull_plan(const RowPartition& partition, int rank, int lanes);

/// Each rank sends its own rows to the other ranks, chunk by chunk, to the ranks that precede it, nearest
/// first: in the order in which they would fetch them.
GatherPlan push_plan(const RowPartition& partition, int rank, int lanes);

}  // namespace contextual::kernels
