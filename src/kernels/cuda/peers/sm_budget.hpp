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

/// Returns the names of all kernels that share the multiprocessors with others of the same call.
std::vector<std::string> sharing_kernels();

/// Returns true if all blocks of these configs are on the device at the same time: what a transfer occupies
/// and what a GEMM occupies are together at most `multiprocessors`. A GEMM waits for rows with all of its
/// blocks, so the transfer must find room beside them, whichever of the two is launched first. The defaults
/// always fit, because the default transfer needs none.
bool fit_together(std::span<const AssignedConfig> configs, int multiprocessors);

}  // namespace contextual::kernels::cuda
