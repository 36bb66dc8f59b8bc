#pragma once

/// \file
/// What a rank sends, and whom it tells, so that every rank can sum its rows of all ranks' partial matrices:
/// pure plans, without CUDA.

#include <contextual/kernels/row_partition.hpp>

#include <variant>
#include <vector>

namespace contextual::kernels {

/// Waits until this rank has computed a chunk of its partial matrix.
struct AwaitChunk {
  int owner = 0;  ///< the rank that will sum it
  int index = 0;

  friend bool operator==(const AwaitChunk&, const AwaitChunk&) = default;
};

/// Copies rows of this rank's partial matrix to the owner, into the owner's slot for this rank.
struct SendPartial {
  int owner = 0;
  Rows rows;

  friend bool operator==(const SendPartial&, const SendPartial&) = default;
};

/// Sets this rank's flag for a chunk at its owner: it may be summed.
struct OfferChunk {
  int owner = 0;
  int index = 0;

  friend bool operator==(const OfferChunk&, const OfferChunk&) = default;
};

using ScatterStep = std::variant<AwaitChunk, SendPartial, OfferChunk>;

/// One rank's part of a reduce-scatter, in lanes. The steps of a lane are carried out one after another, the
/// lanes beside each other.
///
/// It may begin when every rank has lowered the flags of its chunks and needs its slots no more. An owner
/// sums a chunk when the flags of all ranks for it are set, in the order of the ranks. If
/// `owner_reads_partials`, the owner reads where the partial sums were computed, and a rank may compute new
/// ones only after every owner has told it so.
struct ScatterPlan {
  std::vector<std::vector<ScatterStep>> lanes;
  bool owner_reads_partials = false;
};

/// Returns the ranks in the order in which `rank` computes and sends their rows: those that follow it, then
/// itself. So no two ranks send to the same rank at a time.
std::vector<int> scatter_order(int rank, int ranks);

/// Each rank sends each chunk to its owner as soon as it is computed. Chunks are dealt to the lanes in turn;
/// `lanes` is at least 1.
ScatterPlan send_plan(const RowPartition& partition, int rank, int lanes);

/// Each rank only tells the owner that a chunk is computed.
ScatterPlan offer_plan(const RowPartition& partition, int rank, int lanes);

}  // namespace contextual::kernels
