#pragma once

/// \file
/// What the kernels that multiply on Hopper have in common, on the host.

#include "kernels/cuda/gemm_parameters.hpp"

#include <contextual/cuda.hpp>
#include <contextual/kernels/cuda/fp8_gemm.hpp>
#include <contextual/kernels/cuda/gemm.hpp>
#include <contextual/resource_limits.hpp>

#include <vector>

namespace contextual::kernels::cuda {

constexpr int gemm_store_rows = 64;  ///< of a box that stores C
constexpr int gemm_store_columns = 64;

constexpr int divide_up(int a, int b) {
  return (a + b - 1) / b;
}

/// A matrix may begin there: no null pointer, and a multiple of 16 bytes.
bool is_aligned(const void* pointer);

constexpr const char* type_name(GemmType type) {
  return type == GemmType::bf16 ? "bf16" : "fp16";
}

constexpr const char* name_of(Fp8Scaling scaling) {
  return scaling == Fp8Scaling::row ? "row" : scaling == Fp8Scaling::block ? "block" : "tensor";
}

/// There is more to do to the sums than to round them.
constexpr bool has_epilogue(const void* bias, Activation activation) {
  return bias != nullptr || activation != Activation::none;
}

/// Returns the source with the headers of gemm_epilogue.cuh.
CudaSource with_epilogue_headers(CudaSource source);

/// Returns a source with the headers of gemm.cu.
CudaSource gemm_source(const char* file, const char* text);
/// Returns that of gemm.cu.
CudaSource gemm_source();

/// Throws InvalidArgument, whose text begins with `who`, unless a row of fp8 and the way to the next take
/// whole accesses of 16 bytes.
void check_fp8_rows(const char* who, int k, int pitch);

/// Throws InvalidArgument, whose text begins with `who`, for sizes, pointers and pitches that are none of a
/// product.
void check_gemm_matrices(const char* who, const GemmArgs& args);

/// B's rows, and those that one copy brings.
struct RowsOfB {
  int rows;
  int rows_of_box;
};

/// Adds the parameters of gemm.cu.
void add_gemm_parameters(CudaParameters& parameters, const GemmConfig& config, const GemmArgs& args,
                         const RowsOfB& b, const GemmScales& scales);

CudaVariant gemm_variant(const char* function, const GemmConfig& config);

/// The same for values of e4m3.
CudaVariant fp8_variant(const char* function, const GemmConfig& config);

RowsOfB rows_of_b(const GemmConfig& config, int n);

/// The same of a gated product with n columns of C, and what else differs there. For `gemm_layout` it has 2 n
/// columns.
RowsOfB gated_rows_of_b(int n);
CudaVariant gated_variant(const char* function, const GemmConfig& config);
bool is_mostly_inside_gated(const GemmConfig& config, int m, int n);

/// Returns the blocks for as many rows and columns of C, `row_tiles` of block_m rows each, in clusters.
CudaLayout gemm_layout(const GemmConfig& config, int row_tiles, int n);

/// `gemm_space` with another last parameter, where `has_room` says how many store buffers a config has.
ConfigSpace<GemmConfig> gemm_space_with(const ConfigSpace<GemmConfig>::Parameter& last,
                                        const GemmConfig& defaults, bool (*has_room)(const GemmConfig&));

/// The configs of promoted sums of fp8, for kernels with such needs.
using Needs = ResourceNeeds (*)(const GemmConfig&);
ConfigSpace<GemmConfig> promoted_space(Needs needs, const std::vector<int>& num_sms);

/// The minor members are varied one at a time, for the largest tiles in clusters; the number of
/// multiprocessors also for medium ones.
bool is_worth_a_try(const GemmConfig& config);

/// Its sums fit the registers of two warpgroups, at most 128 a thread; one multiplies 64 x 64 at least.
bool fits_registers(const GemmConfig& config);
bool fits_shared_memory(const GemmConfig& config);

/// False: more than half of a cluster's tile would be outside of m x n, and there are smaller ones.
bool is_mostly_inside(const GemmConfig& config, int m, int n);

/// The same of fp8; narrow tiles are left out where wider ones are enough for all multiprocessors.
bool is_mostly_inside_fp8(const GemmConfig& config, int m, int n);

}  // namespace contextual::kernels::cuda
