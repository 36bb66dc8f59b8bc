#include "kernels/cuda/cublaslt_algorithm.hpp"

#include <cstddef>
#include <map>

namespace contextual::kernels::cuda {

CublasLtAlgorithm CublasLtAlgorithm::of(const cublasLtMatmulAlgo_t& algorithm) {
  CublasLtAlgorithm result;
  const auto get = [&](cublasLtMatmulAlgoConfigAttributes_t attribute, auto& value) {
    auto told = value;
    std::size_t written = 0;
    if (cublasLtMatmulAlgoConfigGetAttribute(&algorithm, attribute, &told, sizeof told, &written) ==
        CUBLAS_STATUS_SUCCESS) {
      value = told;
    }
  };
  get(CUBLASLT_ALGO_CONFIG_ID, result.id);
  get(CUBLASLT_ALGO_CONFIG_TILE_ID, result.tile);
  get(CUBLASLT_ALGO_CONFIG_STAGES_ID, result.stages);
  get(CUBLASLT_ALGO_CONFIG_SPLITK_NUM, result.split_k);
  get(CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, result.reduction);
  get(CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, result.swizzling);
  get(CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, result.custom_option);
  get(CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID, result.inner_shape);
  get(CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, result.cluster_shape);
  return result;
}

std::string CublasLtAlgorithm::text() const {
  return "algorithm " + std::to_string(id) + ", tile " + std::to_string(tile) + ", stages " +
         std::to_string(stages) + ", split " + std::to_string(split_k) + ", reduction " +
         std::to_string(reduction) + ", swizzling " + std::to_string(swizzling) + ", custom " +
         std::to_string(custom_option) + ", inner shape " + std::to_string(inner_shape) + ", cluster " +
         std::to_string(cluster_shape);
}

std::vector<std::string> different_texts(const std::vector<CublasLtAlgorithm>& algorithms) {
  std::vector<std::string> texts;
  std::map<std::string, int> counts;
  for (const CublasLtAlgorithm& algorithm : algorithms) {
    std::string text = algorithm.text();
    const int count = ++counts[text];
    texts.push_back(count == 1 ? text : text + ", number " + std::to_string(count) + " of these");
  }
  return texts;
}

}  // namespace contextual::kernels::cuda
