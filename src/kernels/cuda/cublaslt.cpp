#include "kernels/cuda/cublaslt_plan.hpp"
#include "kernels/cuda/gemm_parts.hpp"

#include <contextual/cuda_runtime.hpp>
#include <contextual/detail/storage/code_module.hpp>
#include <contextual/detail/tuning/config_meanings.hpp>
#include <contextual/error.hpp>
#include <contextual/kernels/cuda/cublaslt.hpp>

#include <numeric>
#include <string>
#include <vector>

namespace contextual {

std::optional<std::string> launch_status<cublasStatus_t>::begin() {
  return launch_status<cudaError_t>::begin();
}

std::optional<std::string> launch_status<cublasStatus_t>::failure(const cublasStatus_t& status) {
  return status == CUBLAS_STATUS_SUCCESS ? std::nullopt
                                         : std::optional<std::string>(cublasLtGetStatusString(status));
}

std::optional<std::string> launch_status<cublasStatus_t>::device_failure(const cublasStatus_t& status) {
  return status == CUBLAS_STATUS_SUCCESS ? std::nullopt
                                         : launch_status<cudaError_t>::device_failure(cudaPeekAtLastError());
}

}  // namespace contextual

namespace contextual::kernels::cuda {

namespace {

bool is_empty(const GemmArgs& args) {
  return args.m < 1 || args.n < 1 || args.k < 1;
}

/// Which algorithm has a rank is known for this build of cuBLASLt only.
std::string build_of_cublaslt() {
  const detail::CodeModule module = detail::module_of(reinterpret_cast<const void*>(&cublasLtMatmul));
  return "cuBLASLt " + std::to_string(cublasLtGetVersion()) + " " + module.id;
}

/// From the start of the program or the library's loading on, because kept choices are read before the first
/// launch.
[[maybe_unused]] const bool says_what_configs_are = []() noexcept {
  detail::set_config_meanings("cuda_cublaslt_gemm", [](const Key& key) {
    return CublasLtDevice::current().plan(CublasLtProblem::of(key)).meanings();
  });
  return true;
}();

}  // namespace

ConfigSpace<CublasLtConfig> cublaslt_space() {
  std::vector<int> ranks(cublaslt_ranks);
  std::iota(ranks.begin(), ranks.end(), 0);
  return {{"ALGORITHM", &CublasLtConfig::algorithm, ranks}};
}

int cublaslt_algorithm_count(const GemmArgs& args) {
  return !beyond_cublaslt(args).empty() || is_empty(args)
             ? 0
             : CublasLtDevice::current().plan(CublasLtProblem::of(args)).algorithm_count();
}

cublasStatus_t cublaslt_launch(int algorithm, CUstream stream, const GemmArgs& args) {
  if (const std::string beyond = beyond_cublaslt(args); !beyond.empty()) [[unlikely]] {
    throw ConfigRejected(beyond);
  }
  if (is_empty(args)) {
    throw InvalidArgument("cuda_cublaslt_gemm: an empty matrix");
  }
  CublasLtDevice& device = CublasLtDevice::current();
  const CublasLtPlan& plan = device.plan(CublasLtProblem::of(args));
  if (algorithm >= plan.algorithm_count()) {
    throw ConfigRejected(plan.algorithm_count() == 0
                             ? plan.complaint()
                             : "cuBLASLt has only " + std::to_string(plan.algorithm_count()) +
                                   " algorithms for this problem");
  }
  return device.launch(plan, algorithm, args, stream);
}

void cublaslt_prepare(int algorithm) {
  CublasLtDevice::current().load(algorithm);
}

void cublaslt_plan(const GemmArgs& args) {
  CublasLtDevice::current().load(CublasLtProblem::of(args), 0);
}

CublasLtGemm& cublaslt_gemm() {
  // Never destroyed: it may be launched while the process exits.
  static auto* const kernel = [] {
    CublasLtGemm::Options options;
    options.load = [](const CublasLtConfig& config) { cublaslt_prepare(config.algorithm); };
    options.keep = [](const CublasLtConfig& config, const CUstream&, const GemmArgs& args) {
      return config.algorithm < cublaslt_algorithm_count(args);
    };
    options.version = build_of_cublaslt();
    options.key_names = {"M", "N", "K", "TYPE", "A_PITCH", "C_PITCH", "ALIGNMENT"};
    return new CublasLtGemm(
        "cuda_cublaslt_gemm", cublaslt_space(),
        [](const CUstream&, const GemmArgs& args) { return CublasLtProblem::of(args).key(); },
        [](const CublasLtConfig& config, CUstream& stream, GemmArgs& args) {
          return cublaslt_launch(config.algorithm, stream, args);
        },
        options);
  }();
  return *kernel;
}

void cublaslt_gemm(CUstream stream, const GemmArgs& args) {
  check_cublaslt(cublaslt_gemm()(stream, args));
}

std::string beyond_cublaslt(const GemmArgs& args) {
  if (args.ready_flags != nullptr) {
    return "cuBLASLt cannot wait for ready flags";
  }
  return has_epilogue(args.bias, args.activation) ? "cuBLASLt is asked for no bias and no activation here"
                                                  : "";
}

void check_cublaslt(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) [[unlikely]] {
    throw CudaError(
        std::string("launch of kernel \"cuda_cublaslt_gemm\" failed: ") + cublasLtGetStatusString(status),
        status);
  }
}

}  // namespace contextual::kernels::cuda
