#include "kernels/cuda/cublaslt_plan.hpp"
#include "kernels/cuda/gemm_parts.hpp"
#include "kernels/cuda/gemm_sizes.hpp"

#include <contextual/error.hpp>
#include <contextual/kernels/cuda/cublaslt.hpp>
#include <contextual/kernels/cuda/gemm_implementations.hpp>
#include <contextual/kernels/cuda/mma_gemm.hpp>

#include <cstddef>
#include <string>

namespace contextual::kernels::cuda {
namespace {

void launch_cublaslt(CUstream& stream, GemmArgs& args) {
  if (const std::string beyond = beyond_cublaslt(args); !beyond.empty()) [[unlikely]] {
    throw InvalidArgument("cuda_gemm_implementations: " + beyond + "; use gemm()");
  }
  cublaslt_gemm(stream, args);
}

Key key_of(const CUstream& /*stream*/, const GemmArgs& args) {
  return CublasLtProblem::of(args).key();
}

/// The kernel has a config for the arguments.
template <auto kernel>
bool takes(const CUstream& stream, const GemmArgs& args) {
  try {
    check_gemm_matrices("cuda_gemm_implementations", args);
  } catch (const InvalidArgument&) {  // sizes or alignments that only cuBLASLt takes
    return false;
  }
  for (std::size_t id = 0; id < kernel().space().size(); ++id) {
    if (kernel().keeps(id, stream, args)) {
      return true;
    }
  }
  return false;
}

bool suits_own(const CUstream& stream, const GemmArgs& args) {
  return is_hopper() && takes<gemm>(stream, args);
}

/// Where Hopper's tiles have more rows than C, or where there is no Hopper.
bool suits_mma(const CUstream& stream, const GemmArgs& args) {
  constexpr int few_rows = 64;
  const bool is_few = args.m <= few_rows || !is_hopper();
  return is_few && args.ready_flags == nullptr && takes<mma_gemm>(stream, args);
}

}  // namespace

GemmImplementations& gemm_implementations() {
  // Never destroyed: it may be launched while the process exits.
  static auto* const choice = new GemmImplementations(
      "cuda_gemm_implementations", key_of,
      {{"cublaslt", launch_cublaslt},
       {"own", [](CUstream& stream, GemmArgs& args) { gemm()(stream, args); }, suits_own},
       {"mma", [](CUstream& stream, GemmArgs& args) { mma_gemm()(stream, args); }, suits_mma}},
      {"M", "N", "K", "TYPE", "A_PITCH", "C_PITCH", "ALIGNMENT"});
  return *choice;
}

void gemm_implementations(CUstream stream, const GemmArgs& args) {
  gemm_implementations()(stream, args);
}

}  // namespace contextual::kernels::cuda
