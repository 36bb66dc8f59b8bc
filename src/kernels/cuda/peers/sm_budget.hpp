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
inline constexpr const char* scattered_gemm_name = "cuda_gemm_reduce_scatter";

/// Returns the names of all kernels that wait for other ranks, or work for one that waits.
std::vector<std::string> waiting_kernels();

/// Returns true if all blocks of these configs are on the device at the same time: what transfers rows and
/// what the GEMM that waits for them occupies are together at most `multiprocessors`. The GEMM waits with all
/// of its blocks, so the transfer must find room beside them, whichever of the two is launched first. The
/// defaults always fit, because copy engines transfer.
bool fit_together(std::span<const AssignedConfig> configs, int multiprocessors);

}  // namespace contextual::kernels::cuda
