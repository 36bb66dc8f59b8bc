#pragma once

/// \file
/// What the driver knows about a GPU and about a kernel's code: the parts of KernelMetrics that no clock
/// measures. Link contextual::cuda.

#include <contextual/cuda/program.hpp>
#include <contextual/export.hpp>
#include <contextual/metrics.hpp>

#include <cuda.h>

#include <optional>

namespace contextual {

/// What a kernel computes with, which decides its peak.
enum class ArithmeticUnit {
  cuda_cores_fp32,      ///< fused multiply-adds of float
  tensor_cores_16_bit,  ///< dense products of fp16, and of bf16 from 8.0 on, accumulated in float
};

/// Returns the largest rates of a device of this process, of the calling thread's current device if none is
/// named: multiprocessors x operations a clock cycle x the highest clock that the driver names, and memory
/// clock x bus width x 2, for the two transfers a cycle. A GPU that is limited by its power runs slower than
/// that. Throws InvalidArgument if there is no such device or none is current, CudaUnavailable or CudaError.
///
/// The operations a cycle of one multiprocessor, by compute capability:
/// - 7.0, 7.5: 128 with CUDA cores; 1024 with tensor cores, fp16 only
/// - 8.0: 128; 2048
/// - 8.6, 8.9, 12.0: 256; 1024
/// - 9.0: 256; 4096
/// - 10.0: 256; 8192
///
/// GeForce RTX cards, L40 and L20 have half of these rates of tensor cores, by NVIDIA's data sheets. A rate
/// has no value for another compute capability, and if the driver does not tell a part of it; that of tensor
/// cores also for H20, and for devices of 7.5 other than RTX and T4.
CONTEXTUAL_API DevicePeak device_peak(ArithmeticUnit unit, std::optional<int> device = std::nullopt);

/// Fills in registers, local memory and occupancy of a kernel that is launched with this layout on the
/// calling thread's current device. The grid does not matter; clusters do, because they may leave
/// multiprocessors free. CudaKernel::load returns the CUfunction of a config, cudaGetFuncBySymbol that of a
/// `__global__` function. Throws InvalidArgument for an empty block, CudaUnavailable or CudaError.
CONTEXTUAL_API void add_code_metrics(KernelMetrics& metrics, CUfunction function, const CudaLayout& layout);

/// Fills in the share of the current device's bandwidth, unless the metrics have one, have no GB/s, or the
/// driver does not tell the peak. The peak of operations depends on what the kernel computes with, so only
/// its author knows it: see device_peak. Throws as that does.
CONTEXTUAL_API void add_bandwidth_fraction(KernelMetrics& metrics);

}  // namespace contextual
