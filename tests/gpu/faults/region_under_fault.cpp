#include "gpu/faults/region_under_fault.hpp"

#include "gpu/faults/holding_kernel.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace gpu_test {
namespace {

using namespace contextual::kernels::cuda;

constexpr int value_count = 4096;
constexpr int sets = 2;  // of the layer's data
constexpr AllGatherGemmShape gather_shape{600, 264, 136, GemmType::fp16};
constexpr GemmReduceScatterShape scatter_shape{600, 264, 136, GemmType::fp16};
constexpr GemmReduceScatterShape split_shape{100, 264, 136, GemmType::fp16, true};
constexpr std::size_t more_than_any_device = 300 * 1024;  // bytes of shared memory

}  // namespace

std::size_t RegionUnderFault::workspace_bytes(int ranks) {
  return std::max({AllGatherGemm::workspace_bytes(gather_shape),
                   GemmReduceScatter::workspace_bytes(scatter_shape, ranks),
                   GemmReduceScatter::workspace_bytes(split_shape, ranks)});
}

RegionUnderFault::RegionUnderFault(const Rank& rank, Layer layer, const Workspace& workspace,
                                   faults::Injector& injector, std::chrono::nanoseconds hold)
    : injector_(injector),
      hold_(hold),
      ranks_(rank.count),
      values_(std::vector<float>(value_count, 1.0F)),
      own_("own", scale_space({{"good", 256}, {"good", 128}, {"good", 64}, {"good", 512}}), scale_key,
           own_definition()) {
  if (layer == Layer::gather) {
    gather_ = std::make_unique<AllGatherGemm>(workspace, gather_shape);
    gathered_ = std::make_unique<GatheredProblem>(rank, gather_shape, sets);
  } else {
    const GemmReduceScatterShape& shape = layer == Layer::split ? split_shape : scatter_shape;
    scatter_ = std::make_unique<GemmReduceScatter>(workspace, shape);
    reduced_ = std::make_unique<ReducedProblem>(rank, shape, sets);
  }
  holding_kernel().load();  // loading may wait for the device
}

/// Only one launch fails: the one that takes its place does not.
Scale::Definition RegionUnderFault::own_definition() {
  Scale::Definition definition = scale_definition();
  definition.layout = [this](const ScaleConfig& config, float* const& values, const float& factor,
                             const int& count) {
    contextual::CudaLayout layout = scale_layout(config, values, factor, count);
    if (!config_failed_ && injector_.due("config")) {
      config_failed_ = true;
      layout.dynamic_shared_bytes = more_than_any_device;
    }
    return layout;
  };
  return definition;
}

void RegionUnderFault::operator()() {
  ++runs_;
  own_(stream_, values_.get(), -1.0F, value_count);
  injector_.reach("before_layer");
  if (injector_.due("skip")) {
    return;
  }
  if (injector_.due("hold")) {
    hold(stream_, hold_);
  }
  call_layer(runs_ % sets);
}

void RegionUnderFault::call_layer(int set) {
  last_set_ = set;
  if (gather_ == nullptr) {
    (*scatter_)(stream_, {.a = reduced_->a(set), .b = reduced_->b(set), .c_rows = reduced_->c()});
    return;
  }
  (*gather_)(stream_, {gathered_->a_rows(set)}, {gathered_->b(), gathered_->c()});
  gathered_->check_later(stream_, set);
}

std::size_t RegionUnderFault::wrong_of_layer() {
  return gather_ == nullptr ? reduced_->wrong(last_set_, ranks_) : gathered_->wrong();
}

void RegionUnderFault::check_run() {
  if (gather_ == nullptr) {
    wrong_while_tuning_ += wrong_of_layer();
  }
}

RegionResults RegionUnderFault::results() {
  constexpr int calls = 4;
  RegionResults results;
  results.while_tuning = gather_ == nullptr ? std::exchange(wrong_while_tuning_, 0) : wrong_of_layer();
  for (int call = 0; call < calls; ++call) {
    call_layer(call % sets);
  }
  results.afterwards = wrong_of_layer();
  const std::vector<float> values = values_.host();
  const float expected = runs_ % 2 == 0 ? 1.0F : -1.0F;
  results.own_kernel = static_cast<std::size_t>(
      std::count_if(values.begin(), values.end(), [&](float value) { return value != expected; }));
  return results;
}

}  // namespace gpu_test
