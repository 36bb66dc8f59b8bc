#include "kernels/host/thread_pool.hpp"

#include <contextual/kernels/host/kernels.hpp>
#include <contextual/key.hpp>

#include <vector>

namespace contextual::kernels {

namespace {

/// One thread, or all that the machine has.
std::vector<int> thread_counts() {
  const int all = ThreadPool::default_threads();
  return all == 1 ? std::vector<int>{1} : std::vector<int>{1, all};
}

/// Who waits does so longest for the other ranks' rows, who is waited for computes them first: of the orders
/// that are left, each launch tries those that differ for it.
bool has_a_use(const FlaggedGemmConfig& config, const FlaggedGemmArgs& args) {
  const bool waits = args.waits_for != nullptr;
  if (args.shards == 1 || config.order == "own_first") {
    return config.order == "own_first";
  }
  return config.order == "as_arrived" ? waits : !waits || args.sets != nullptr;
}

}  // namespace

ConfigSpace<GemmConfig> gemm_space() {
  return {{"MR", &GemmConfig::mr, {6, 8}},
          {"NR", &GemmConfig::nr, {16, 32}},
          {"KC", &GemmConfig::kc, {256, 512}},
          {"THREADS", &GemmConfig::threads, thread_counts()}};
}

ConfigSpace<FlaggedGemmConfig> flagged_gemm_space() {
  return {{"BLOCK_ROWS", &FlaggedGemmConfig::block_rows, {64, 256}},
          {"NR", &FlaggedGemmConfig::nr, {16, 32}},
          {"ORDER", &FlaggedGemmConfig::order, {"own_first", "own_last", "as_arrived"}},
          {"THREADS", &FlaggedGemmConfig::threads, thread_counts()}};
}

ConfigSpace<RmsNormConfig> rms_norm_space() {
  return {{"ROWS_PER_BLOCK", &RmsNormConfig::rows_per_block, {1, 8}},
          {"UNROLL", &RmsNormConfig::unroll, {1, 2, 4}},
          {"THREADS", &RmsNormConfig::threads, thread_counts()}};
}

ConfigSpace<GatedActivationConfig> gated_activation_space() {
  return {{"BLOCK", &GatedActivationConfig::block, {1024, 4096}},
          {"FAST_EXP", &GatedActivationConfig::fast_exp, {false, true}},
          {"THREADS", &GatedActivationConfig::threads, thread_counts()}};
}

TunableKernel<void(const GemmConfig&, const GemmArgs&)>& gemm() {
  static TunableKernel kernel{
      "host_gemm",
      gemm_space(),
      [](const GemmArgs& a) { return make_key(a.m, a.n, a.k, a.accumulate); },
      [](const GemmConfig& config, const GemmArgs& args) { gemm_compute(config, args); },
      {.key_names = {"M", "N", "K", "ACCUMULATE"}}};
  return kernel;
}

TunableKernel<void(const FlaggedGemmConfig&, const FlaggedGemmArgs&)>& flagged_gemm() {
  static TunableKernel kernel{"host_flagged_gemm",
                              flagged_gemm_space(),
                              [](const FlaggedGemmArgs& a) {
                                return make_key(a.gemm.m, a.gemm.n, a.gemm.k, a.shards,
                                                a.waits_for != nullptr, a.sets != nullptr);
                              },
                              [](const FlaggedGemmConfig& config, const FlaggedGemmArgs& args) {
                                flagged_gemm_compute(config, args);
                              },
                              {.keep = has_a_use, .key_names = {"M", "N", "K", "SHARDS", "WAITS", "SETS"}}};
  return kernel;
}

TunableKernel<void(const RmsNormConfig&, const RmsNormArgs&)>& rms_norm() {
  static TunableKernel kernel{
      "host_rms_norm",
      rms_norm_space(),
      [](const RmsNormArgs& a) { return make_key(a.rows, a.cols); },
      [](const RmsNormConfig& config, const RmsNormArgs& args) { rms_norm_compute(config, args); },
      {.key_names = {"ROWS", "COLS"}}};
  return kernel;
}

TunableKernel<void(const GatedActivationConfig&, const GatedActivationArgs&)>& gated_activation() {
  static TunableKernel kernel{"host_gated_activation",
                              gated_activation_space(),
                              [](const GatedActivationArgs& a) { return make_key(a.rows, a.cols); },
                              [](const GatedActivationConfig& config, const GatedActivationArgs& args) {
                                gated_activation_compute(config, args);
                              },
                              {.key_names = {"ROWS", "COLS"}}};
  return kernel;
}

}  // namespace contextual::kernels
