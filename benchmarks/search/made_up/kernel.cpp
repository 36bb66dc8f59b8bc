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

/// A parameter other than NUM_SMS: one level is best, and the time grows with the distance from it.
struct Parameter {
  std::size_t level_count = 0;
  std::size_t best_level = 0;
  double strength = 0;  ///< relative, at the largest distance

  double factor(std::size_t level) const {
    const auto distance = static_cast<double>(std::max(level, best_level) - std::min(level, best_level));
    return 1 + strength * distance / static_cast<double>(level_count - 1);
  }
};

constexpr std::array sms_levels{device_sms, 16, 32, 64, 96};  // the default takes the whole device

struct Shape {
  std::size_t sms_level_count = 0;
  std::vector<Parameter> parameters;

  std::size_t config_count() const {
    std::size_t count = sms_level_count;
    for (const Parameter& parameter : parameters) {
      count *= parameter.level_count;
    }
    return count;
  }
};

Shape draw_shape(RandomNumbers& random) {
  Shape shape;
  do {
    shape = {2 + random.below(sms_levels.size() - 1), {}};
    for (std::size_t count = 1 + random.below(3); count > 0; --count) {
      const std::size_t levels = 2 + random.below(4);
      shape.parameters.push_back({levels, random.below(levels), random.log_uniform(0.02, 0.5)});
    }
  } while (shape.config_count() < fewest_configs || shape.config_count() > most_configs);
  return shape;
}

/// The levels of config `index` are its digits, with as many values each as the parameter has levels.
KernelConfig make_config(const Shape& shape, double scaling, std::size_t index, RandomNumbers& random) {
  KernelConfig config;
  config.sms = sms_levels[index % shape.sms_level_count];
  index /= shape.sms_level_count;
  config.parameters.set("NUM_SMS", config.sms);
  config.alone_ns = std::pow(static_cast<double>(device_sms) / config.sms, scaling);
  for (std::size_t p = 0; p < shape.parameters.size(); ++p) {
    const std::size_t level = index % shape.parameters[p].level_count;
    index /= shape.parameters[p].level_count;
    config.parameters.set("P" + std::to_string(p), static_cast<std::int64_t>(level));
    config.alone_ns *= shape.parameters[p].factor(level);
  }
  config.alone_ns *= 1 + random.exponential(0.02);
  return config;
}

}  // namespace

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

double fastest_ns(const Kernel& kernel) {
  return std::min_element(
             kernel.configs.begin(), kernel.configs.end(),
             [](const KernelConfig& a, const KernelConfig& b) { return a.alone_ns < b.alone_ns; })
      ->alone_ns;
}

}  // namespace search_replay::made_up
