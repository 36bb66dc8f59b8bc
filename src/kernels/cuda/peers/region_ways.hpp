#pragma once

/// \file
/// The choice between the ways of computing a region across GPUs.

#include "kernels/cuda/gemm_parts.hpp"
#include "kernels/cuda/gemm_sizes.hpp"
#include "kernels/cuda/peers/workspace_parts.hpp"

#include <contextual/alternatives.hpp>
#include <contextual/kernels/cuda/gemm.hpp>
#include <contextual/key.hpp>

#include <cuda.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace contextual::kernels::cuda {

/// `Call` is one call of the region: its workspace, its shape, the number of `columns()` that it computes,
/// and its `key()`.
template <typename Call>
using RegionWays = Alternatives<void(CUstream, const Call*)>;

/// A way of the region: launches the call on the stream.
template <typename Call>
using RegionWay = void (*)(CUstream&, const Call*&);

/// A way by kernels of the library.
template <typename Call>
struct OwnWay {
  const char* name;
  RegionWay<Call> launch;
  bool (*fits)(const Call&) = [](const Call&) { return true; };
};

/// Returns the key of a call: bucket of m, n, k, type, ranks, bits, and what the region has besides.
template <typename Call, typename... More>
Key region_key(const Call& call, const More&... more) {
  return make_key(bucket_of(call.shape.m), call.columns(), call.shape.k, type_name(call.shape.type),
                  call.workspace->communicator->size(), call.workspace->options.equal_bits ? "equal" : "any",
                  more...);
}

/// The ways of own kernels, where the ranks can use each other's memory, and "separate", where they have
/// NCCL, unless equal bits are asked for and there is an own way. `more_names` are those of the key's parts
/// behind the bits. The result is never destroyed, since it may be launched while the process exits.
template <typename Call>
RegionWays<Call>& make_region_ways(const char* name, const std::vector<OwnWay<Call>>& own,
                                   RegionWay<Call> separate,
                                   const std::vector<std::string>& more_names = {}) {
  std::vector<std::string> names{"M_BUCKET", "N", "K", "TYPE", "RANKS", "BITS"};
  names.insert(names.end(), more_names.begin(), more_names.end());
  const auto may_be = [](const OwnWay<Call>& way, const Call& call) {
    return call.workspace->memory.problem().empty() && way.fits(call);
  };
  std::vector<typename RegionWays<Call>::Alternative> ways;
  ways.reserve(own.size() + 1);
  for (const OwnWay<Call>& way : own) {
    ways.emplace_back(way.name, way.launch,
                      [way, may_be](const CUstream&, const Call* const& call) { return may_be(way, *call); });
  }
  ways.emplace_back("separate", separate, [own, may_be](const CUstream&, const Call* const& call) {
    const bool is_only_one =
        std::none_of(own.begin(), own.end(), [&](const OwnWay<Call>& way) { return may_be(way, *call); });
    return call->workspace->nccl.problem().empty() && (is_only_one || !call->workspace->options.equal_bits);
  });
  return *new RegionWays<Call>(
      name, [](const CUstream&, const Call* const& call) { return call->key(); }, std::move(ways), names);
}

/// The product of "separate": cuBLASLt's algorithm is tuned, unless equal bits are asked for. Throws
/// CudaError if the launch fails, and ConfigRejected if cuBLASLt has no algorithm for the shape.
void separate_gemm(const PeerWorkspace::Parts& workspace, CUstream stream, const GemmArgs& args);

}  // namespace contextual::kernels::cuda
