/// The sum over the ranks of what each has in its memory, of the rows that this rank gets: each rank reads those of the
/// others. The parts are added in float and in the order of the ranks. Compiled by NVRTC.
#include "gemm_epilogue.cuh"
#include "one_shot_sum_parameters.hpp"
#include "peer_calls.cuh"

using contextual::kernels::cuda::OneShotSumParameters;

namespace {

template <bool fp16>
__device__ void sum(const OneShotSumParameters& p) {
  const int across = p.epilogue.n / width;
  const long long count = static_cast<long long>(p.rows) * across;
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += threads) {
    uint4 parts[PeerControl::most_ranks];  // all on their way before the first one is needed
#pragma unroll
    for (int source = 0; source < PeerControl::most_ranks; ++source) {
      if (source < p.peers.ranks) {
        parts[source] = __ldcg(static_cast<const uint4*>(p.from[source]) + i);
      }
    }
    float all[width] = {};
#pragma unroll
    for (int source = 0; source < PeerControl::most_ranks; ++source) {
      if (source < p.peers.ranks) {
        add_vector<fp16>(parts[source], all);
      }
    }
    const long long row = i / across;
    const long long vector = i % across;
    finish_vector<fp16>(all, p.epilogue, vector, p.residual, row * (p.residual_pitch / width) + vector);
    static_cast<uint4*>(p.output)[row * (p.pitch / width) + vector] = pack_vector<fp16>(all);
  }
}

}  // namespace

extern "C" __global__ void one_shot_sum(const __grid_constant__ OneShotSumParameters p) {
  const Meeting meeting(p.peers);
  if (meeting.has_all()) {
    p.fp16 ? sum<true>(p) : sum<false>(p);
  }
  __syncthreads();
  leave(p.peers, [&](int lane) { meeting.part(lane); }, [&](int warp, int warps) {
    fill_with_nan(p.output, p.rows, p.epilogue.n, p.pitch, warp, warps);
  });
}
