#include "kernels/cuda/partial_sum.hpp"

#include "kernels/cuda/peers/peer_kernels.hpp"
#include "kernels/cuda/peers/sm_budget.hpp"

#include <contextual/config_space.hpp>

namespace contextual::kernels::cuda {
namespace {

void launch(const PartialSumConfig& config, CUstream& stream, const SumCall*& call) {
  if (config.sms == 0) {
    launch_peer_sum(stream, call->sum, call->multiprocessors);
  } else {
    launch_peer_sum((*call->lanes)[PeerControl::most_lanes - 1], call->sum, config.sms);
  }
}

}  // namespace

PartialSum& partial_sum() {
  // Never destroyed: it may be launched while the process exits.
  static auto* const kernel = [] {
    PartialSum::Options options;
    options.key_names = {"M", "N", "RANKS", "TYPE"};
    const auto nothing_to_load = [](const PartialSumConfig&) {};  // the workspace has loaded its kernels
    options.load = nothing_to_load;
    return new PartialSum(
        partial_sum_name,
        ConfigSpace<PartialSumConfig>{{"SMS", &PartialSumConfig::sms, {0, 4, 8, 16}}}.refine(
            {"SMS", &PartialSumConfig::sms, {2, 6, 10, 12, 14, 20, 24}}),
        [](const CUstream&, const SumCall* const& call) {
          return make_key(call->m, call->sum.n, call->sum.peers.ranks, call->sum.fp16 ? "fp16" : "bf16");
        },
        launch, options);
  }();
  return *kernel;
}

}  // namespace contextual::kernels::cuda
