#pragma once

/// \file
/// Which experts of a mixture of experts the rows of a matrix go to, prepared for grouped products.

#include <contextual/export.hpp>

#include <cuda.h>

#include <cstddef>
#include <memory>

namespace contextual::kernels::cuda {

class PeerWorkspace;

/// Which rank's routing it is, where the rows are from several ranks, as RowPartition says. Products with it
/// then begin with this rank's rows, and go on with those of the next rank.
struct RoutingRanks {
  int rank = 0;
  int ranks = 1;  ///< at most 8
};

/// Every row chooses `top_k` experts. A chosen (row, place in top_k) has a position: positions go by expert,
/// then row, then place, without gaps, so the rows of one expert are together. Nothing is dropped: an expert
/// takes as many rows as choose it.
///
/// Preparation is deterministic, and happens on the device: where `prepare` was captured, a replay of the
/// graph reads the ids that are there then, and counts as a `prepare`. What is prepared is valid in stream
/// order until the next one, which must follow it there; so must streams that use it. The host knows the rows
/// of its own last call only: where a replay prepares fewer rows than a later call has, or more, the result
/// is worth nothing. One thread at a time prepares.
class CONTEXTUAL_API ExpertRouting {
 public:
  /// Takes memory on the current device for `rows` rows at most. `experts` is from 1 to 512, and the others
  /// are at least 1; otherwise throws InvalidArgument; throws CudaError. Waits for the device, and compiles
  /// its kernels.
  ExpertRouting(int rows, int top_k, int experts, const RoutingRanks& ranks = {});
  ExpertRouting(const ExpertRouting&) = delete;
  ExpertRouting& operator=(const ExpertRouting&) = delete;
  /// What uses the memory on the device must be done.
  ~ExpertRouting();

  /// Prepares the routing of `rows` rows, 0 for as many as there is room for, in the order of `stream`: `ids`
  /// is [rows, top_k], on the device, dense. What is no id of an expert, as -1, chooses none. Throws
  /// InvalidArgument for too many rows and for null ids, and CudaError.
  void prepare(CUstream stream, const int* ids, int rows = 0);

  /// Returns how many of its bytes a workspace lends to a preparation from own rows. One for an AllGatherMoe
  /// or a MoeReduceScatter of these rows has them. Throws InvalidArgument for sizes that are none.
  static std::size_t workspace_bytes(int rows, int top_k);

  /// The same where each rank knows of its own rows only, those of `RowPartition(rows, ranks).shard(rank)`:
  /// `own_ids` is [own rows, top_k], on the device, dense, and may be written again when the call has ended
  /// in stream order. Weights of the same shape are gathered too, for `topk_weights`; ranks that have rows
  /// either all give them or all do not. A rank without rows may give null for both.
  ///
  /// It is a call on the workspace, so all ranks must make it. Ids travel by a kernel, which waits for the
  /// other ranks within the workspace's budget, or by NCCL where they cannot use each other's memory. Own
  /// rows that are in `AllGatherMoe::input` already stay there. Works under stream capture. If the other
  /// ranks do not come, no row chooses an expert, and weights are NaN. While a region is tuned, that rejects
  /// the assignment that was tried if the region also calls an object of a workspace.
  ///
  /// Throws InvalidArgument as above, for a workspace that is too small or of other ranks, and for ids and
  /// weights in it; DeviceError if a call on the workspace has failed before; CommunicationError of NCCL; and
  /// CudaError.
  void prepare(CUstream stream, PeerWorkspace& workspace, const int* own_ids,
               const float* own_weights = nullptr, int rows = 0);

  int rows() const noexcept {
    return rows_;
  }  ///< of the last `prepare`; before it, the most there is room for
  int top_k() const noexcept { return top_k_; }
  int experts() const noexcept { return experts_; }
  const RoutingRanks& ranks() const noexcept { return ranks_; }

  /// Returns the first position of each expert, and behind the last one the number of positions,
  /// [experts + 1], on the device.
  const int* offsets() const noexcept;
  /// Returns the row of each position, on the device.
  const int* row_of_position() const noexcept;
  /// Returns the position of each (row, place), [rows, top_k], on the device; -1 where no expert is chosen.
  const int* positions() const noexcept;

  /// Returns the weights of all ranks' rows, [rows, top_k], on the device, as MoeReduceScatter takes them;
  /// null if the last `prepare` got none.
  const float* topk_weights() const noexcept { return topk_weights_; }

  struct Tables;
  const Tables& tables() const noexcept { return *tables_; }  ///< for the library's own kernels

 private:
  int most_rows_;
  int rows_;
  int top_k_;
  int experts_;
  RoutingRanks ranks_;
  const float* topk_weights_ = nullptr;
  std::unique_ptr<Tables> tables_;
};

}  // namespace contextual::kernels::cuda
