#pragma once

/// \file
/// A layer whose input is spread over the ranks, out of tunable kernels, and its reference in double. The
/// gather of the input and the GEMM that reads it run at the same time.

#include <contextual/kernels/host/row_flags.hpp>

#include <mpi.h>

#include <chrono>
#include <vector>

namespace examples {

/// Sizes in elements, the same on all ranks.
struct GatheredLayerShape {
  long rows = 256;    ///< of the input, each rank's
  long width = 512;   ///< of the input and of the residual stream
  long hidden = 384;  ///< of the activation, each rank's
};

/// y += (silu(gate) * up) W_down with [gate, up] = rms_norm(X W_up), where X are the rows of all ranks, one
/// rank's after another's. Every rank has rows of X, and columns of W_up of its own; it computes all rows of
/// its own y. Random values of fixed seeds; other weights on every rank.
///
/// `run` cannot be taken apart to tune its kernels one by one:
/// - the GEMM waits for rows that only the gather brings. Alone it would wait for ever;
/// - the gather alone is fastest with a thread that polls without a pause. Here that takes time from the GEMM
/// on
///   the same cores; and how large its messages should be depends on how many rows the GEMM waits for;
/// - the last GEMM adds to y in place: each run changes its result.
class GatheredLayer {
 public:
  /// Duplicates `communicator`: collective. Computes the reference: some tenths of a second. Sizes must be
  /// positive. MPI must allow several threads, one at a time at least (MPI_THREAD_SERIALIZED); throws
  /// std::runtime_error if not.
  GatheredLayer(MPI_Comm communicator, const GatheredLayerShape& shape, std::chrono::milliseconds budget);
  GatheredLayer(const GatheredLayer&) = delete;
  GatheredLayer& operator=(const GatheredLayer&) = delete;
  ~GatheredLayer();

  /// Puts y back. Fills what `run` writes with NaN, so that nothing of the run before can pass for this
  /// run's.
  void reset();

  /// The region, run by all ranks at once: five launches of tunable kernels, the gather's from a thread of
  /// its own. First sleeps `delay`, as a rank does that comes late. Returns the first element of y.
  ///
  /// Every wait in it is bounded by the budget, and throws when it is used up: a rank that died is an error
  /// on the others, not a hang. MPI may still use this object's memory then: keep it until the process ends.
  float run(std::chrono::microseconds delay = {});

  /// The largest |y - reference|, relative to the largest value of the reference; infinite if y has a NaN. To
  /// be called after one `run` since the last `reset`.
  double error() const;

  /// What `error` may be: float rounding of sums this long, far below the effect of any missing term.
  static constexpr double tolerance = 1e-5;

 private:
  void gather();
  void multiply();
  void compute_reference();

  MPI_Comm communicator_;
  int rank_ = 0;
  int ranks_ = 1;
  long rows_;  ///< of all ranks
  long width_;
  long hidden_;
  std::chrono::milliseconds budget_;
  std::vector<float> shard_;               ///< this rank's rows x width
  std::vector<float> gathered_;            ///< rows x width
  contextual::kernels::RowFlags arrived_;  ///< rows of gathered_
  std::vector<float> w_up_;                ///< width x 2 hidden: the gate's columns, then up's
  std::vector<float> norm_weight_;         ///< 2 hidden
  std::vector<float> w_down_;              ///< hidden x width
  std::vector<float> gate_up_;             ///< rows x 2 hidden
  std::vector<float> activation_;          ///< rows x hidden
  std::vector<float> residual_;            ///< rows x width
  std::vector<float> y_;                   ///< rows x width
  std::vector<double> reference_;          ///< rows x width
};

}  // namespace examples
