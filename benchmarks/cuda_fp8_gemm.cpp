/// \file
/// The own GEMM of 8-bit values, tuned, beside cuBLASLt's: with scales of tensors, of rows, and of blocks.
/// Those of one kind take turns; ratios are to cuBLASLt as PyTorch's _scaled_mm asks for it: with fast sums,
/// which do not go with scales of blocks. If it has no algorithm for those, this says so.

#include "cuda_common.hpp"
#include "cuda_cublas.hpp"
#include "cuda_fp8_values.hpp"
#include "cuda_turns.hpp"

#include <contextual/kernels/cuda/fp8_gemm.hpp>

#include <cublasLt.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace contextual;
using namespace contextual::benchmarks;
using kernels::cuda::Fp8Accumulation;
using kernels::cuda::Fp8GemmArgs;
using kernels::cuda::Fp8Scaling;

/// cuBLASLt's first algorithm, which is what PyTorch takes.
class CublasLtFp8 {
 public:
  CublasLtFp8(const Fp8GemmArgs& args, Fp8Accumulation accumulation) : workspace_(workspace_bytes) {
    check_cublas(cublasLtCreate(&handle_));
    check_cublas(cublasLtMatmulDescCreate(&operation_, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    const cublasOperation_t transposed = CUBLAS_OP_T;
    const std::int8_t fast = accumulation == Fp8Accumulation::fast ? 1 : 0;
    set(CUBLASLT_MATMUL_DESC_TRANSA, transposed);
    set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, fast);
    // It counts in columns: it is asked for C's transpose, B * A^T.
    set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, args.b_scale);
    set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, args.a_scale);
    const bool row = args.scaling == Fp8Scaling::row;
    if (args.scaling != Fp8Scaling::tensor) {
      set(CUBLASLT_MATMUL_DESC_A_SCALE_MODE,
          row ? CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F : CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F);
      set(CUBLASLT_MATMUL_DESC_B_SCALE_MODE,
          row ? CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F : CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F);
    }
    check_cublas(cublasLtMatrixLayoutCreate(&b_, CUDA_R_8F_E4M3, args.k, args.n, args.k));
    check_cublas(cublasLtMatrixLayoutCreate(&a_, CUDA_R_8F_E4M3, args.k, args.m, args.k));
    check_cublas(cublasLtMatrixLayoutCreate(&c_, CUDA_R_16BF, args.n, args.m, args.n));
    cublasLtMatmulPreference_t preference = nullptr;
    check_cublas(cublasLtMatmulPreferenceCreate(&preference));
    check_cublas(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                      &workspace_bytes, sizeof(workspace_bytes)));
    int found = 0;
    check_cublas(
        cublasLtMatmulAlgoGetHeuristic(handle_, operation_, b_, a_, c_, c_, preference, 1, &choice_, &found));
    cublasLtMatmulPreferenceDestroy(preference);
    if (found == 0) {
      throw std::runtime_error("cuBLASLt has no algorithm");
    }
  }
  CublasLtFp8(const CublasLtFp8&) = delete;
  CublasLtFp8& operator=(const CublasLtFp8&) = delete;
  ~CublasLtFp8() {
    cublasLtMatrixLayoutDestroy(a_);
    cublasLtMatrixLayoutDestroy(b_);
    cublasLtMatrixLayoutDestroy(c_);
    cublasLtMatmulDescDestroy(operation_);
    cublasLtDestroy(handle_);
  }

  void launch(cudaStream_t stream, const Fp8GemmArgs& args) const {
    const float one = 1;
    const float zero = 0;
    check_cublas(cublasLtMatmul(handle_, operation_, &one, args.b, b_, args.a, a_, &zero, args.c, c_, args.c,
                                c_, &choice_.algo, workspace_.get(), workspace_bytes, stream));
  }

 private:
  static constexpr std::size_t workspace_bytes = 32 << 20;

  template <typename T>
  void set(cublasLtMatmulDescAttributes_t attribute, const T& value) {
    check_cublas(cublasLtMatmulDescSetAttribute(operation_, attribute, &value, sizeof(value)));
  }

  Buffer<std::uint8_t> workspace_;
  cublasLtHandle_t handle_ = nullptr;
  cublasLtMatmulDesc_t operation_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr;
  cublasLtMatrixLayout_t b_ = nullptr;
  cublasLtMatrixLayout_t c_ = nullptr;
  cublasLtMatmulHeuristicResult_t choice_{};
};

/// Scales of blocks take turns with cuBLASLt's alone.
void compare_blocks(const Fp8GemmArgs& args, const Stream& stream, const Buffer<std::uint16_t>& c,
                    const TurnSettings& settings) {
  Turns turns(stream);
  turns.tune("own", [&] { kernels::cuda::fp8_gemm(Fp8Accumulation::blocks)(stream, args); });
  const std::vector<std::uint16_t> ours = result_of(stream, c);
  std::optional<CublasLtFp8> theirs;
  try {
    theirs.emplace(args, Fp8Accumulation::blocks);
    turns.add("cuBLASLt", [&] { theirs->launch(stream, args); });
  } catch (const std::runtime_error& error) {
    std::printf("  no scales of blocks: %s\n", error.what());
  }
  turns.run(settings.rounds, settings.launches);
  if (theirs && blocks_of(args.k) % 4 == 0) {  // otherwise it pads the rows of B's scales
    require_less(difference(ours, result_of(stream, c)), 1e-2);
  }
}

void compare_sums(const Fp8GemmArgs& args, const Stream& stream, const Buffer<std::uint16_t>& c,
                  const TurnSettings& settings) {
  Turns turns(stream);
  turns.tune("own", [&] { kernels::cuda::fp8_gemm()(stream, args); });
  const std::vector<std::uint16_t> ours = result_of(stream, c);
  turns.tune("own, promoted", [&] { kernels::cuda::fp8_gemm(Fp8Accumulation::promoted)(stream, args); });
  const std::vector<std::uint16_t> promoted = result_of(stream, c);
  const CublasLtFp8 theirs_promoted(args, Fp8Accumulation::promoted);
  const CublasLtFp8 theirs(args, Fp8Accumulation::fast);
  turns.add("cuBLASLt, promoted", [&] { theirs_promoted.launch(stream, args); });
  turns.add("cuBLASLt", [&] { theirs.launch(stream, args); });
  turns.run(settings.rounds, settings.launches);
  const std::vector<std::uint16_t> expected = result_of(stream, c);
  require_less(std::max(difference(ours, expected), difference(promoted, expected)), 1e-2);
}

void compare_shape(const ProductShape& shape, const TurnSettings& settings,
                   const std::vector<std::string>& scalings) {
  const Stream stream;
  const Buffer<std::uint8_t> a(random_fp8_values(element_count(shape.m, shape.k), 1));
  const Buffer<std::uint8_t> b(random_fp8_values(element_count(shape.n, shape.k), 2));
  const Buffer<float> a_scales(random_scales(shape.m * blocks_of(shape.k), 3));
  const Buffer<float> b_scales(random_scales(std::max(shape.n, blocks_of(shape.n) * blocks_of(shape.k)), 4));
  const Buffer<std::uint16_t> c(element_count(shape.m, shape.n));
  Fp8GemmArgs args{.a = a.get(),
                   .b = b.get(),
                   .c = c.get(),
                   .m = shape.m,
                   .n = shape.n,
                   .k = shape.k,
                   .a_scale = a_scales.get(),
                   .b_scale = b_scales.get()};
  for (const std::string& scaling : scalings) {
    std::printf("\n%d x %d x %d, scales of %s\n", shape.m, shape.n, shape.k, scaling.c_str());
    if (scaling == "blocks") {
      args.scaling = Fp8Scaling::block;
      compare_blocks(args, stream, c, settings);
    } else {
      args.scaling = scaling == "rows" ? Fp8Scaling::row : Fp8Scaling::tensor;
      compare_sums(args, stream, c, settings);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  TurnSettings settings{{"4096x4096x4096", "8192x28672x8192", "8192x11008x4096", "256x28672x8192"}};
  std::vector<std::string> scalings{"tensors", "rows", "blocks"};
  BenchmarkApp app{"The own GEMM of 8-bit values, tuned, beside cuBLASLt"};
  app.add_option("--shapes", settings.shapes, "MxNxK, ...")->delimiter(',');
  app.add_option("--scales", scalings, "tensors, rows, blocks")
      ->delimiter(',')
      ->check(CLI::IsMember(scalings));
  add_turn_options(app, settings);
  return run_on_gpu(app, argc, argv, [&] {
    for (const std::string& shape : settings.shapes) {
      compare_shape(ProductShape(shape), settings, scalings);
    }
    return 0;
  });
}
