#include "cuda_launches.hpp"

#include <stdexcept>

namespace contextual::benchmarks {
namespace {

constexpr const char* nothing_source =
    R"(extern "C" __global__ void nothing(float* y, const float* x, float a, int n) {})";

Nothing::Definition nothing_definition() {
  Nothing::Definition definition;
  definition.source = CudaSource::text("nothing.cu", nothing_source);
  definition.variant = [](const VariantConfig& config) { return variant_of("nothing", config); };
  definition.layout = [](const VariantConfig&, float* const&, const float* const&, const float&, const int&) {
    return CudaLayout{.grid = {1}, .block = {32}};
  };
  return definition;
}

}  // namespace

Nothing nothing_kernel() {
  return {"nothing", variants(2),
          [](float* const&, const float* const&, const float&, const int& n) { return make_key(n); },
          nothing_definition()};
}

CUfunction function_of(Nothing& kernel, const Stream& stream, const Arguments& args) {
  cudaGraph_t graph = nullptr;
  CONTEXTUAL_CHECKED(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  kernel(stream, args.y, args.x, args.a, args.n);
  CONTEXTUAL_CHECKED(cudaStreamEndCapture(stream, &graph));
  cudaGraphNode_t node = nullptr;
  std::size_t nodes = 1;
  CONTEXTUAL_CHECKED(cudaGraphGetNodes(graph, &node, &nodes));
  CUDA_KERNEL_NODE_PARAMS parameters{};
  CONTEXTUAL_CHECKED(driver_function<decltype(::cuGraphKernelNodeGetParams)>("cuGraphKernelNodeGetParams")(
      node, &parameters));
  CONTEXTUAL_CHECKED(cudaGraphDestroy(graph));
  if (parameters.func == nullptr) {
    throw std::runtime_error("the captured launch names no function");
  }
  return parameters.func;
}

Options tuning(const TimerFactory& timer, int repeats) {
  return {.n_warmup = 2,
          .n_repeat = repeats,
          .search = contextual::SearchLevel::off,
          .always_tune = true,
          .log_directory = "",
          .timer = timer};
}

}  // namespace contextual::benchmarks
