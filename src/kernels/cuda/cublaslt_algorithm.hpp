#pragma once

/// \file
/// What an algorithm of cuBLASLt is, whatever its rank in a list.

#include <cublasLt.h>

#include <cstdint>
#include <string>
#include <vector>

namespace contextual::kernels::cuda {

/// In cuBLASLt's numbers, which keep their meaning: cublasLtMatmulAlgoConfigAttributes_t.
struct CublasLtAlgorithm {
  std::int32_t id = 0;
  std::uint32_t tile = 0;
  std::uint32_t stages = 0;
  std::int32_t split_k = 0;  ///< parts of a sum
  std::uint32_t reduction = 0;
  std::uint32_t swizzling = 0;
  std::uint32_t custom_option = 0;
  std::uint16_t inner_shape = 0;
  std::uint16_t cluster_shape = 0;

  /// Asks cuBLASLt. An attribute that it does not have stays 0.
  static CublasLtAlgorithm of(const cublasLtMatmulAlgo_t& algorithm);
  /// For people, and to be compared.
  std::string text() const;
};

/// Returns the text of each, different for all of them: of equal ones, all but the first have a number.
std::vector<std::string> different_texts(const std::vector<CublasLtAlgorithm>& algorithms);

}  // namespace contextual::kernels::cuda
