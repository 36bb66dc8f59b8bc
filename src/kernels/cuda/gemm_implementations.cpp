#include "kernels/cuda/gemm_implementations.hpp"

#include "kernels/cuda/cublaslt.hpp"
#include "kernels/cuda/cublaslt_plan.hpp"

#include <contextual/error.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace contextual::kernels::cuda {
namespace {

using Config = GemmImplementationConfig;

constexpr int ranks_of_cublaslt = 8;

std::size_t own_id(const Config& config) {
  return static_cast<std::size_t>(config.index);
}

CUresult launch_cublaslt(int algorithm, CUstream stream, const GemmArgs& args) {
  const cublasStatus_t status = cublaslt_launch(algorithm, stream, args);
  if (status == CUBLAS_STATUS_SUCCESS) [[likely]] {
    return CUDA_SUCCESS;
  }
  // cuBLASLt's status does not say which error the device has.
  const auto code = static_cast<CUresult>(cudaPeekAtLastError());
  if (cuda_context_lost(code)) {
    return code;
  }
  throw ConfigRejected(cublasLtGetStatusString(status));
}

CUresult launch(const Config& config, CUstream& stream, GemmArgs& args) {
  if (args.ready_flags != nullptr) {
    throw InvalidArgument("cuda_gemm_implementations: cuBLASLt cannot wait for ready flags; use gemm()");
  }
  return config.own() ? gemm().launch_config(own_id(config), stream, args)
                      : launch_cublaslt(config.index, stream, args);
}

Key key_of(const GemmArgs& args) {
  return make_key(args.m, args.n, args.k, args.type == GemmType::bf16 ? "bf16" : "fp16",
                  CublasLtProblem::of(args).alignment);
}

bool keeps(const Config& config, const CUstream& stream, const GemmArgs& args) {
  if (!config.own()) {
    return config.index < cublaslt_algorithm_count(args);
  }
  try {
    return gemm().expect(own_id(config), key_of(args), stream, args);
  } catch (const InvalidArgument&) {
    return false;  // sizes or alignments that only cuBLASLt takes
  }
}

GemmImplementations::Options options() {
  GemmImplementations::Options options;
  options.prepare_for = [](const Config& config, const Key& key) {
    if (config.own()) {
      gemm().prepare(own_id(config), key);
    } else {
      cublaslt_prepare(config.index);
    }
  };
  options.preload = [](const Config& config) {
    if (config.own()) {
      gemm().load(own_id(config));
    } else {
      cublaslt_prepare(config.index);
    }
  };
  options.keep = keeps;
  options.key_names = {"M", "N", "K", "TYPE", "ALIGNMENT"};
  return options;
}

}  // namespace

ConfigSpace<Config> gemm_implementations_space() {
  const auto own = gemm_space();
  std::vector<Config> configs;
  configs.reserve(ranks_of_cublaslt + own.size());
  for (int rank = 0; rank < ranks_of_cublaslt; ++rank) {
    configs.push_back({"cublaslt", "{ALGORITHM: " + std::to_string(rank) + "}", rank});
  }
  for (std::size_t id = 0; id < own.size(); ++id) {
    configs.push_back({"own", own.describe(id), static_cast<int>(id)});
  }
  return ConfigSpace<Config>::list({{"IMPLEMENTATION", &Config::implementation}, {"CONFIG", &Config::config}},
                                   std::move(configs));
}

GemmImplementations& gemm_implementations() {
  // Never destroyed: it may be launched while the process exits.
  static auto* const kernel = new GemmImplementations(
      "cuda_gemm_implementations", gemm_implementations_space(),
      [](const CUstream&, const GemmArgs& args) { return key_of(args); }, launch, options());
  return *kernel;
}

void gemm_implementations(CUstream stream, const GemmArgs& args) {
  const CUresult code = gemm_implementations()(stream, args);
  if (code != CUDA_SUCCESS) [[unlikely]] {
    throw CudaError("launch of kernel \"cuda_gemm_implementations\" failed: " + cuda_error_text(code),
                    static_cast<int>(code));
  }
}

}  // namespace contextual::kernels::cuda
