#pragma once

/// \file
/// The products of a LLaMA layer, spread over the GPUs of a node, with a dense feed-forward part or a mixture
/// of experts.
///
///     h = x + out(q(x));  y = h + down(silu(gate(h)) * up(h)), or the sum over a row's experts of the same
///
/// Rank r has some rows of x, its part of the columns of the first product of each pair, and the same part of
/// the inner dimension of the second one. So rows are gathered while the first product is computed, and the
/// second one is summed over the ranks while it is computed; each rank ends with its own rows. M. Shoeybi et
/// al., arXiv:1909.08053, with V. Korthikanti et al., arXiv:2205.05198 for rows that stay spread between the
/// layers.
///
/// Norms, rotary embedding and attention, which no rank shares with another one, are left out: `out` takes
/// the columns of q.

#include "common/device_matrices.hpp"
#include "common/device_stream.hpp"

#include <contextual/communicator.hpp>
#include <contextual/kernels/cuda/allgather_gemm.hpp>
#include <contextual/kernels/cuda/allgather_moe.hpp>
#include <contextual/kernels/cuda/expert_routing.hpp>
#include <contextual/kernels/cuda/gemm_reduce_scatter.hpp>
#include <contextual/kernels/cuda/moe_reduce_scatter.hpp>
#include <contextual/kernels/cuda/peer_workspace.hpp>

#include <cuda_runtime_api.h>

#include <memory>
#include <utility>
#include <vector>

namespace examples {

/// Of all ranks together. Columns are multiples of 8 times the number of ranks.
struct LlamaShape {
  int tokens = 2048;
  int hidden = 4096;
  int q = 4096;       ///< columns of all heads
  int kv = 1024;      ///< of the heads of k, and of v
  int inner = 14336;  ///< of the feed-forward part, or of an expert
  int experts = 0;    ///< 0: the feed-forward part is dense
  int top_k = 2;      ///< of a mixture of experts
};

/// One rank's part, in bf16, on a stream of its own. Collective, as the workspace is.
class LlamaLayer {
 public:
  /// What the roundings to bf16 on the way allow, relative to the largest element of the checked rows.
  static constexpr double tolerance = 3e-2;

  LlamaLayer(const std::shared_ptr<contextual::Communicator>& communicator, const LlamaShape& shape);
  LlamaLayer(const LlamaLayer&) = delete;
  LlamaLayer& operator=(const LlamaLayer&) = delete;
  virtual ~LlamaLayer() = default;

  /// Fills the output with NaN, and waits.
  void poison();
  /// The region: its four parts, one after the other. Does not wait.
  void run();
  void project_qkv();
  void project_out();
  void feed_up();
  void feed_down();
  void wait() const { stream_.wait(); }
  /// Waits, and returns the largest relative error of some elements of a few of this rank's rows; infinity if
  /// one is NaN.
  double error() const;

  cudaStream_t stream() const noexcept { return stream_.get(); }

 private:
  struct Sample {
    int row = 0;
    int column = 0;
    double expected = 0;
  };
  /// Experts that a token chooses, with their factors.
  using Choice = std::vector<std::pair<int, float>>;

  bool is_dense() const noexcept { return shape_.experts == 0; }
  Choice choice_of(int token) const;
  std::vector<double> hidden_row(int token) const;
  void add_samples(int row);
  void upload_routing();

  LlamaShape shape_;
  int ranks_;
  int weights_;  ///< sets of feed-forward weights: one, or the experts
  contextual::kernels::cuda::AllGatherGemmShape qkv_shape_;
  contextual::kernels::cuda::GemmReduceScatterShape out_shape_;
  contextual::kernels::cuda::AllGatherMoeShape up_shape_;
  contextual::kernels::cuda::MoeReduceScatterShape down_shape_;
  std::shared_ptr<contextual::kernels::cuda::PeerWorkspace> workspace_;
  contextual::kernels::cuda::AllGatherGemm qkv_;
  contextual::kernels::cuda::GemmReduceScatter out_;
  std::unique_ptr<contextual::kernels::cuda::AllGatherGemm> up_;
  std::unique_ptr<contextual::kernels::cuda::GemmReduceScatter> down_;
  std::unique_ptr<contextual::kernels::cuda::AllGatherMoe> up_of_experts_;
  std::unique_ptr<contextual::kernels::cuda::MoeReduceScatter> down_of_experts_;
  contextual::kernels::cuda::ExpertRouting routing_;
  contextual::kernels::Rows rows_;
  DeviceBytes input_;
  DeviceBytes qkv_weights_;
  DeviceBytes out_weights_;
  DeviceBytes up_weights_;
  DeviceBytes down_weights_;
  DeviceBytes ids_;
  DeviceBytes factors_;
  DeviceBytes qkv_output_;
  DeviceBytes hidden_;
  DeviceBytes inner_;
  DeviceBytes output_;
  std::vector<Sample> samples_;
  DeviceStream stream_;
};

}  // namespace examples
