#include "gpu/faults/region_under_fault.hpp"

#include "gpu/faults/holding_kernel.hpp"

#include <algorithm>

namespace contextual::test::gpu_test {
namespace {

constexpr int value_count = 4096;
constexpr std::size_t more_than_any_device = 300 * 1024;  // bytes of shared memory

}  // namespace

RegionUnderFault::RegionUnderFault(std::unique_ptr<LayerUnderFault> layer, faults::Injector& injector,
                                   std::chrono::nanoseconds hold)
    : injector_(injector),
      hold_(hold),
      layer_(std::move(layer)),
      values_(std::vector<float>(value_count, 1.0F)),
      own_("own", scale_space({{"good", 256}, {"good", 128}, {"good", 64}, {"good", 512}}), scale_key,
           own_definition()) {
  holding_kernel().load();  // loading may wait for the device
}

/// Only one launch fails: the one that takes its place does not.
Scale::Definition RegionUnderFault::own_definition() {
  Scale::Definition definition = scale_definition();
  definition.layout = [this](const ScaleConfig& config, float* const& values, const float& factor,
                             const int& count) {
    CudaLayout layout = scale_layout(config, values, factor, count);
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
  ++runs_of_tuning_;
  own_(stream_, values_.get(), -1.0F, value_count);
  injector_.reach("before_layer");
  if (injector_.due("skip")) {
    return;
  }
  if (injector_.due("hold")) {
    hold(stream_, hold_);
  }
  layer_->call(stream_, runs_of_tuning_);
}

void RegionUnderFault::check_run() {
  if (!layer_->looks_in_stream()) {
    wrong_while_tuning_ += layer_->wrong();
  }
}

RegionResults RegionUnderFault::results() {
  constexpr int calls = 4;
  RegionResults results{.while_tuning = layer_->looks_in_stream() ? layer_->wrong()
                                                                  : std::exchange(wrong_while_tuning_, 0)};
  for (int call = 0; call < calls; ++call) {
    layer_->call(stream_, call);
  }
  results.afterwards = layer_->wrong();
  const std::vector<float> values = values_.host();
  const float expected = runs_ % 2 == 0 ? 1.0F : -1.0F;
  results.own_kernel = static_cast<std::size_t>(
      std::count_if(values.begin(), values.end(), [&](float value) { return value != expected; }));
  return results;
}

}  // namespace contextual::test::gpu_test
