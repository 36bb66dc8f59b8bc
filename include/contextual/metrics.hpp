#pragma once

/// \file
/// What a measured time says about a kernel: its rates, and which share of the device's peak they are. Pure
/// arithmetic on numbers that the caller gives. `contextual/cuda/device_facts.hpp` reads a GPU's peak, and a
/// kernel's registers, local memory and occupancy, from the driver.

#include <contextual/export.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace contextual {

/// The work of one launch, as its author counts it: a multiplication and an addition are two operations, and
/// bytes are those that must be read and written at least. 0 stands for what is not known.
struct KernelWork {
  double flops = 0;  ///< floating-point operations
  double bytes = 0;  ///< read from and written to memory

  friend bool operator==(const KernelWork&, const KernelWork&) = default;
};

/// The largest rates of a device. What is not known has no value.
struct DevicePeak {
  std::optional<double> teraflops_per_second{};  ///< for the type that the kernel computes with
  std::optional<double> gigabytes_per_second{};  ///< of the device's memory; 1 GB is 10^9 bytes
};

/// What is known of a kernel with one config. What is not known has no value.
struct KernelMetrics {
  std::chrono::duration<double, std::nano> latency{0};  ///< of one launch
  std::optional<double> teraflops_per_second{};
  std::optional<double> gigabytes_per_second{};  ///< 1 GB is 10^9 bytes
  /// The share of the device's peak that the rate is, 1 for all of it. It can be above 1, for instance where
  /// a cache serves the memory traffic.
  std::optional<double> peak_compute_fraction{};
  std::optional<double> peak_bandwidth_fraction{};

  // Of the code, from the driver.
  std::optional<int> registers_per_thread{};
  std::optional<std::int64_t> local_memory_bytes_per_thread{};  ///< where registers spill to, and arrays
  /// The largest number of warps that the multiprocessors hold of this kernel, as a share of the number that
  /// they can hold.
  std::optional<double> occupancy{};
};

/// Returns latency, rates and shares of the peak. A rate whose work is 0 has no value, nor has a share whose
/// peak is not known. Throws InvalidArgument if the latency is not above 0, if work is negative, if a peak is
/// not above 0, or if one of them is not finite.
CONTEXTUAL_API KernelMetrics compute_metrics(const KernelWork& work,
                                             std::chrono::duration<double, std::nano> latency,
                                             const DevicePeak& peak = {});

/// Returns the work of C (m x n) = A (m x k) * B (k x n): 2 m n k operations; A and B are read once and C is
/// written once. `element_bytes` is the size of one element of any of the three. Throws InvalidArgument if an
/// extent or the size is 0.
CONTEXTUAL_API KernelWork gemm_work(std::size_t m, std::size_t n, std::size_t k, std::size_t element_bytes);

/// Returns the metrics of such a product: compute_metrics of gemm_work. Throws InvalidArgument as they do.
CONTEXTUAL_API KernelMetrics compute_gemm_metrics(std::size_t m, std::size_t n, std::size_t k,
                                                  std::size_t element_bytes,
                                                  std::chrono::duration<double, std::nano> latency,
                                                  const DevicePeak& peak = {});

/// Returns the metrics of a kernel that works on each element by itself. `bytes_per_element` counts what is
/// read and what is written: 12 for the sum of two float vectors. `flops_per_element` may be 0; there is no
/// rate of operations then. Throws InvalidArgument if `elements` or `bytes_per_element` is 0, if
/// `flops_per_element` is negative, and as compute_metrics does.
CONTEXTUAL_API KernelMetrics compute_elementwise_metrics(std::size_t elements, std::size_t bytes_per_element,
                                                         double flops_per_element,
                                                         std::chrono::duration<double, std::nano> latency,
                                                         const DevicePeak& peak = {});

}  // namespace contextual
