/// The sums of rows over their experts and over the ranks, in one kernel. Each row belongs to one rank. This rank's sum
/// of another rank's row is stored into that rank's slot for this one, and a flag says that a unit of rows is there.
/// For an own row the sums of all ranks are added, in float and in their order.
///
/// Blocks take units by ticket, in the order of RowUnits: whoever waits for a unit waits for what its source takes at a
/// smaller ticket. Compiled by NVRTC; THREADS is ExpertSumScatterConfig's.
#include "expert_sum.cuh"
#include "expert_sum_scatter_parameters.hpp"
#include "peer_calls.cuh"

using namespace contextual::kernels::cuda;

namespace {

constexpr int vectors_of_thread = 2;  // of a row, at a time

/// Differs from that of another call. A rank with units of other sizes, since its launch failed and it fell back, waits
/// in vain.
__device__ TileFlag flag_now(const ExpertSumScatterParameters& p) {
  return (p.peers.control[p.peers.rank]->epoch + 1) << tile_flag_shape_bits | static_cast<unsigned>(p.units.unit_rows);
}

__device__ TileFlag* flag_of(const ExpertSumScatterParameters& p, const RowUnit& unit, int source) {
  return p.flags[unit.owner] + source * p.units.of_owner() + unit.index;
}

/// All threads of the block: `take(vector, sum)` gets this rank's rounded sum over the experts of each vector of the
/// owner's rows that is in the unit.
template <bool fp16, typename Take>
__device__ __forceinline__ void sum_experts(const ExpertSumScatterParameters& p, const RowUnit& unit,
                                            const Take& take) {
  const int across = p.sum.n / width;  // vectors of a row
  const int pieces = (across + vectors_of_thread - 1) / vectors_of_thread;
  const int first_row = unit.owner * p.units.rows_of_owner;
  for (int i = static_cast<int>(threadIdx.x); i < unit.count * pieces; i += THREADS) {
    const int row = unit.first + i / pieces;
    const int first = i % pieces;  // the others are a piece further each
    float sums[vectors_of_thread][width] = {};
    add_experts<fp16>(p.sum, first_row + row, first, pieces, sums);
#pragma unroll
    for (int vector = 0; vector < vectors_of_thread; ++vector) {
      if (first + vector * pieces < across) {
        take(static_cast<long long>(row) * across + first + vector * pieces, pack_vector<fp16>(sums[vector]));
      }
    }
  }
}

/// All threads of the block.
template <bool fp16>
__device__ void send(const ExpertSumScatterParameters& p, const RowUnit& unit) {
  auto* const slot = static_cast<uint4*>(p.slots[unit.owner]);
  sum_experts<fp16>(p, unit, [&](long long vector, const uint4& sum) { slot[vector] = sum; });
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence_system();  // what the other threads have stored goes first
    store_for_peers(flag_of(p, unit, p.peers.rank), flag_now(p));
  }
}

/// All threads of the block: adds the ranks' sums of own rows, or in vain what is in the slots.
template <bool fp16>
__device__ void add_ranks(const ExpertSumScatterParameters& p, const RowUnit& unit) {
  const int source_of_thread = static_cast<int>(threadIdx.x);
  if (source_of_thread < p.peers.ranks && source_of_thread != p.peers.rank) {
    const TileFlag now = flag_now(p);
    const TileFlag* const flag = flag_of(p, unit, source_of_thread);
    wait_until(p.peers, PeerFailure::part_missing + source_of_thread, [&] { return load_from_peers(flag) == now; });
  }
  __syncthreads();
  const auto* const slots = static_cast<const uint4*>(p.own_slots);
  const long long vectors_of_slot = static_cast<long long>(p.units.rows_of_owner) * (p.sum.n / width);
  sum_experts<fp16>(p, unit, [&](long long vector, const uint4& own) {
    float all[width] = {};
#pragma unroll 4
    for (int source = 0; source < p.peers.ranks; ++source) {
      add_vector<fp16>(source == p.peers.rank ? own : __ldcg(slots + source * vectors_of_slot + vector), all);
    }
    static_cast<uint4*>(p.sum.out)[vector] = pack_vector<fp16>(all);
  });
}

/// One thread of the block: the next ticket. `goes` if it is for rows of this rank, or of one that has begun the call,
/// which is waited for.
__device__ int next_ticket(const ExpertSumScatterParameters& p, Arrivals& arrivals, bool& goes) {
  const int ticket = take_ticket(p.peers);
  tell_if_first(p.peers, ticket);
  if (ticket < p.units.count()) {
    const RowUnit unit = p.units[ticket];
    goes = unit.count > 0 && arrivals.wait(unit.owner);
  }
  return ticket;
}

template <bool fp16>
__device__ void run(const ExpertSumScatterParameters& p) {
  __shared__ int ticket;
  __shared__ bool goes;
  Arrivals arrivals(p.peers);
  for (;;) {
    if (threadIdx.x == 0) {
      ticket = next_ticket(p, arrivals, goes);
    }
    __syncthreads();
    if (ticket >= p.units.count()) {
      return;
    }
    const RowUnit unit = p.units[ticket];
    if (goes && unit.owner == p.peers.rank) {
      add_ranks<fp16>(p, unit);
    } else if (goes) {
      send<fp16>(p, unit);
    }
    __syncthreads();
  }
}

}  // namespace

extern "C" __global__ __launch_bounds__(THREADS) void expert_sum_scatter(
    const __grid_constant__ ExpertSumScatterParameters p) {
  if (p.sum.fp16) {
    run<true>(p);
  } else {
    run<false>(p);
  }
  leave(p.peers, [](int) {}, [&](int warp, int warps) {
    fill_with_nan(p.sum.out, p.units.rows_of(p.units.rank), p.sum.n, p.sum.n, warp, warps);
  });
}
