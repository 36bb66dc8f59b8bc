#include "search/made_up/kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace search_replay::made_up {
namespace {

constexpr std::size_t fewest_configs = 8;
constexpr std::size_t most_configs = 100;

constexpr std::array sms_levels{device_sms, 16, 32, 64, 96};  // the default takes the whole device

/// NUM_SMS, and other parameters.
struct Shape {
  std::size_t sms_level_count = 0;
  std::vector<Parameter> parameters;

  std::size_t config_count() const { return sms_level_count * combinations(parameters); }
};

Shape draw_shape(RandomNumbers& random) {
  Shape shape;
  do {
    shape = {2 + random.below(sms_levels.size() - 1), {}};
    const std::size_t count = 1 + random.below(3);
    for (std::size_t p = 0; p < count; ++p) {
      const std::size_t levels = 2 + random.below(4);
      const std::size_t best = random.below(levels);
      shape.parameters.push_back({"P" + std::to_string(p), levels, random.log_uniform(0.02, 0.5), best});
    }
  } while (shape.config_count() < fewest_configs || shape.config_count() > most_configs);
  return shape;
}

KernelConfig make_config(const Shape& shape, double scaling, std::size_t index, RandomNumbers& random) {
  KernelConfig config;
  config.sms = sms_levels[index % shape.sms_level_count];
  config.parameters.set("NUM_SMS", config.sms);
  config.alone_ns = std::pow(static_cast<double>(device_sms) / config.sms, scaling);
  set_levels(config, shape.parameters, index / shape.sms_level_count);
  config.alone_ns *= 1 + random.exponential(0.02);
  return config;
}

}  // namespace

void set_levels(KernelConfig& config, const std::vector<Parameter>& parameters, std::size_t index) {
  for (const Parameter& parameter : parameters) {
    const std::size_t level = index % parameter.level_count;
    index /= parameter.level_count;
    config.parameters.set(parameter.name, static_cast<std::int64_t>(level));
    const std::size_t best = parameter.best_level;
    const auto distance = static_cast<double>(std::max(level, best) - std::min(level, best));
    config.alone_ns *= 1 + parameter.strength * distance / static_cast<double>(parameter.level_count - 1);
  }
}

std::size_t combinations(const std::vector<Parameter>& parameters) {
  std::size_t count = 1;
  for (const Parameter& parameter : parameters) {
    count *= parameter.level_count;
  }
  return count;
}

Kernel make_kernel(const std::string& name, double shortest_ns, RandomNumbers& random) {
  const Shape shape = draw_shape(random);
  const double scaling = random.uniform(0.2, 0.9);
  Kernel kernel{name, {}};
  for (std::size_t index = 0; index < shape.config_count(); ++index) {
    kernel.configs.push_back(make_config(shape, scaling, index, random));
  }
  const double scale = shortest_ns / fastest_ns(kernel);
  for (KernelConfig& config : kernel.configs) {
    config.alone_ns *= scale;
  }
  return kernel;
}

std::vector<Kernel> make_kernels(RandomNumbers& random) {
  const double scale_ns = random.log_uniform(80e3, 3e6);
  std::vector<Kernel> kernels(2 + random.below(5));
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    kernels[k] = make_kernel("kernel_" + std::to_string(k), scale_ns * random.uniform(0.2, 1), random);
  }
  return kernels;
}

double fastest_ns(const Kernel& kernel) {
  return std::min_element(
             kernel.configs.begin(), kernel.configs.end(),
             [](const KernelConfig& a, const KernelConfig& b) { return a.alone_ns < b.alone_ns; })
      ->alone_ns;
}

}  // namespace search_replay::made_up
