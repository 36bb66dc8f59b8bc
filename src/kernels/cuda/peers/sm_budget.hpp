#pragma once

/// \file
/// Which configs of kernels that wait for each other find room on a device.

#include <contextual/options.hpp>

#include <span>
#include <string>
#include <vector>

namespace contextual::kernels::cuda {

/// Names of tunable kernels.
inline constexpr const char* transfer_kernel_name = "cuda_allgather_transfer";
inline constexpr const char* gathered_gemm_name = "cuda_allgather_gemm";
inline constexpr const char* scatter_kernel_name = "cuda_reduce_scatter_transfer";
inline constexpr const char* partial_sum_name = "cuda_partial_sum";
inline constexpr const char* scattered_gemm_name = "cuda_gemm_reduce_scatter";

/// Returns the names of all kernels that share the multiprocessors with others of the same call.
std::vector<std::string> sharing_kernels();

/// Returns true if all blocks of these configs are on the device at the same time: what runs beside a GEMM
/// and what the GEMM occupies are together at most `multiprocessors`. A GEMM that waits for rows does so with
/// all of its blocks, so the transfer must find room beside them, whichever of the two is launched first; and
/// a sum that is meant to run beside a GEMM would only begin after it. The defaults always fit, because
/// nothing of theirs runs beside a GEMM.
bool fit_together(std::span<const AssignedConfig> configs, int multiprocessors);

}  // namespace contextual::kernels::cuda
