// A plugin with a tunable kernel of its own. Everything but two C functions is hidden.

#include "plugin.hpp"

#include <contextual/kernel.hpp>

namespace {

struct ScaleConfig {
  int unroll = 1;
};

int last_unroll = 0;

contextual::TunableKernel scale{
    "plugin_scale", contextual::ConfigSpace<ScaleConfig>{{"UNROLL", &ScaleConfig::unroll, {1, 2, 4}}},
    [](float*, std::size_t count, float) { return contextual::make_key(count); },
    [](const ScaleConfig& config, float* values, std::size_t count, float factor) {
      if (config.unroll == 4) {
        throw contextual::ConfigRejected("the plugin cannot unroll by 4");
      }
      last_unroll = config.unroll;
      for (std::size_t i = 0; i < count; ++i) {
        values[i] *= factor;
      }
    }};

}  // namespace

extern "C" __attribute__((visibility("default"))) void plugin_scale(float* values, std::size_t count,
                                                                    float factor) {
  scale(values, count, factor);
}

extern "C" __attribute__((visibility("default"))) int plugin_last_unroll() {
  return last_unroll;
}
