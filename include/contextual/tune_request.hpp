#pragma once

/// \file
/// What a KernelTuner is asked to tune for, and what a ConfigCache finds a config by.

#include <contextual/export.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace contextual {

/// Names one tuning problem of one kernel. Equal on all ranks that tune together. A value type.
struct TuneRequest {
  /// What the best config depends on, e.g. {m, n, k}: numbers in an order of yours.
  std::vector<std::int64_t> problem_size{};
  /// What the kernel runs on, e.g. "NVIDIA H200"; a kind of device and not its number, because ranks with
  /// devices of one kind choose together. A KernelTuner takes an empty text for "host", or for "cuda" where
  /// the kernel's launcher takes a cudaStream_t or returns a status of CUDA.
  std::string device{};
  /// What kind of problem it is, e.g. "gemm bf16". A KernelTuner takes an empty text for its kernel's name.
  std::string kernel_type{};

  friend bool operator==(const TuneRequest&, const TuneRequest&) = default;
};

/// Returns e.g. "gemm (4096, 4096, 512) on host".
CONTEXTUAL_API std::string to_string(const TuneRequest& request);

}  // namespace contextual
