#pragma once

/// \file
/// Kernels that write an output of a GPU, rightly or as a planted config does, and regions tuned with them.

#include "gpu/kernel_support.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/output.hpp>

#include <array>
#include <cmath>
#include <cstddef>

namespace contextual::test::gpu_test {

/// Kinds of configs that are wrong, on their own or in some combination.
constexpr std::array planted_kinds{"half",        "elsewhere",   "beside_slow",
                                   "on_one_rank", "all_but_one", "twice_the_tolerance"};

constexpr int planted_repetitions = 100;
constexpr int output_elements = 100'003;
constexpr double output_tolerance = 1e-3;

struct WriteConfig {
  std::string kind = "right";
  int spin_us = 60;
};

/// Writes i + 1 to out[i], as its kind says. Its arguments are `out`; `other`, where the kind "elsewhere"
/// writes, and whose first element a neighbour has made 1 if it is slow; the number of elements; and 1 on the
/// rank where the kind "on_one_rank" is wrong, else 0.
using Write = CudaKernel<WriteConfig, float*, float*, int, int>;

constexpr const char* write_source = R"(
__device__ void spin() {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do { asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)); } while (now - begin < US * 1000ull);
}
extern "C" __global__ void write(float* out, float* other, int n, int wrong_here) {
  spin();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < END) { TO[i] = (i + 1.0f) * FACTOR; }
}
// The neighbour: tells `write` whether it was slow.
extern "C" __global__ void pace(float* out, float*, int, int) {
  spin();
  if (blockIdx.x == 0 && threadIdx.x == 0) { out[0] = SLOW; }
}
// Adds up in an order that changes from run to run.
extern "C" __global__ void add(float* out, float*, int n, int) {
  spin();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { atomicAdd(&out[i % 64], 1.0f / (1 + i)); }
}
extern "C" __global__ void in_place(float* out, float*, int n, int) {
  spin();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < END) { out[i] = 2.0f * out[i] + 1.0f; }
}
)";

inline std::string function_of(const std::string& kind) {
  if (kind == "slow" || kind == "fast") {
    return "pace";
  }
  if (kind == "add" || kind == "in_place") {
    return kind;
  }
  return kind == "in_place_but_one" ? "in_place" : "write";
}

/// What the element with the index i is multiplied by.
inline std::string factor_of(const std::string& kind) {
  if (kind == "twice_the_tolerance") {
    return "(i == 7 ? 1.002f : 1.0f)";
  }
  if (kind == "beside_slow") {
    return "(other[0] == 1.0f ? 1.0f : 1.5f)";
  }
  return kind == "on_one_rank" ? "(wrong_here == 1 ? 1.5f : 1.0f)" : "1.0f";
}

inline std::string end_of(const std::string& kind) {
  return kind == "half" ? "n / 2" : kind == "all_but_one" || kind == "in_place_but_one" ? "n - 1" : "n";
}

/// A kernel whose configs are of these kinds and spin so long. The first one is the default.
inline Write writer(const std::string& name, const std::vector<std::pair<std::string, int>>& kinds_and_us) {
  Write::Definition definition;
  definition.source = CudaSource::text("write.cu", write_source);
  definition.variant = [](const WriteConfig& config) {
    return CudaVariant{.function = function_of(config.kind),
                       .defines = {{"US", std::to_string(config.spin_us)},
                                   {"TO", config.kind == "elsewhere" ? "other" : "out"},
                                   {"END", end_of(config.kind)},
                                   {"FACTOR", factor_of(config.kind)},
                                   {"SLOW", config.kind == "slow" ? "1.0f" : "0.0f"}}};
  };
  definition.layout = [](const WriteConfig&, float* const&, float* const&, const int& n, const int&) {
    return CudaLayout{.grid = {(static_cast<unsigned>(n) + 255) / 256}, .block = {256}};
  };
  std::vector<WriteConfig> configs;
  for (const auto& [kind, us] : kinds_and_us) {
    configs.push_back({kind, us});
  }
  auto space =
      ConfigSpace<WriteConfig>::list({{"KIND", &WriteConfig::kind}, {"US", &WriteConfig::spin_us}}, configs);
  return Write(
      name, std::move(space),
      [](float* const&, float* const&, const int& n, const int&) { return make_key(n); },
      std::move(definition));
}

/// A walk, which tunes again in each run.
inline Options options_with(std::vector<Output> outputs) {
  Options options = walk_options(2, cuda_event_timer);
  options.outputs = std::move(outputs);
  return options;
}

/// A region with a config of a kind between two right ones, which is faster than these.
class PlantedRegion {
 public:
  /// `communicator`: null for this process alone. `wrong_here`: the kind "on_one_rank" is wrong on this rank.
  PlantedRegion(std::string kind, std::shared_ptr<Communicator> communicator, bool wrong_here)
      : kind_(std::move(kind)), wrong_here_(wrong_here ? 1 : 0), tuner_(options(std::move(communicator))) {}

  /// Tunes it once more. Returns what is wrong with the outcome, or nothing. Collective.
  std::string tune() {
    tuner_.run("gpu outputs " + kind_, [&] {
      if (in_combination()) {
        pace_(stream_, other_.get(), nullptr, 1, 0);
      }
      write_(stream_, out_.get(), other_.get(), output_elements, wrong_here_);
    });
    const Report report = tuner_.report();
    const ProblemReport& written = problem(report, write_.name());
    choices_.push_back(written.choice);
    const bool pace_is_fast = in_combination() && problem(report, pace_.name()).choice == fast;
    if (written.choice == planted && (!in_combination() || pace_is_fast)) {
      return "chose what is wrong";
    }
    for (const ConfigReport& config : written.configs) {
      const std::string reason = config.rejection.value_or("none");
      const bool is_planted = config.config_id == planted;
      // Where ranks share a GPU a right config can be rejected because its first run was slow.
      if (is_planted ? reason == "none" && !in_combination() : reason.starts_with("output ")) {
        return "config-" + std::to_string(config.config_id) + " has rejection: " + reason;
      }
    }
    return is_right() ? "" : "left a wrong result";
  }

  /// The choices so far.
  const std::vector<std::size_t>& choices() const noexcept { return choices_; }

 private:
  static constexpr std::size_t planted = 1;
  static constexpr std::size_t fast = 2;

  Options options(std::shared_ptr<Communicator> communicator) {
    Output output = contextual::output("out", out_.get(), output_elements);
    output.relative = output_tolerance;
    output.absolute = 0;
    Options options = options_with({output});
    options.communicator = std::move(communicator);
    return options;
  }
  bool in_combination() const { return kind_ == "beside_slow"; }
  static const ProblemReport& problem(const Report& report, const std::string& name) {
    for (const ProblemReport& problem : report.runs.back().problems) {
      if (problem.kernel == name) {
        return problem;
      }
    }
    throw std::logic_error("no problem of kernel " + name);
  }
  bool is_right() const {
    const std::vector<float> values = out_.host();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double expected = static_cast<double>(i) + 1;
      if (!(std::abs(values[i] - expected) <= output_tolerance * expected)) {
        return false;
      }
    }
    return true;
  }

  std::string kind_;
  int wrong_here_;
  Stream stream_;
  DeviceArray<float> out_{output_elements, 1};  // not aligned to more than one element
  DeviceArray<float> other_{output_elements};
  Write write_ = writer("gpu_outputs_" + kind_, {{"right", 90}, {kind_, 10}, {"right", 50}});
  Write pace_ = writer("gpu_outputs_pace_" + kind_, {{"slow", 60}, {"slow", 50}, {"fast", 10}});
  ContextualAutotuner tuner_;
  std::vector<std::size_t> choices_;
};

}  // namespace contextual::test::gpu_test
