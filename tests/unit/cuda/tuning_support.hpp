#pragma once

/// \file
/// A tunable kernel on a scripted GPU, tuned by the engine as users do.

#include "support/engine.hpp"
#include "unit/cuda/scripted_cupti.hpp"
#include "unit/cuda/scripted_driver.hpp"
#include "unit/cuda/scripted_nvrtc.hpp"

#include <contextual/cuda.hpp>

#include <cstdlib>

namespace contextual::test::cuda_test {

/// Driver, CUPTI and NVRTC, all scripted. A kernel takes longer the fewer threads its blocks have.
struct ScriptedGpu {
  explicit ScriptedGpu(int devices = 1)
      : driver(devices), cupti(driver), nvrtc_table(ScriptedNvrtc::table()) {
    ::setenv("CONTEXTUAL_CACHE_DIR", "", 1);  // no machine code on the disk
    driver.duration_ns = [](const Launch& launch) { return duration_of(launch.block); };
  }
  static std::int64_t duration_of(unsigned block) { return 200'000 - 100 * static_cast<std::int64_t>(block); }

  ScriptedDriver driver;
  CUstream stream = driver.make_stream();
  ScriptedCupti cupti;
  cuda::Nvrtc nvrtc_table;
  cuda::NvrtcReplacement nvrtc_replaced{nvrtc_table};
};

struct BlockConfig {
  int block = 64;
};

/// Its argument is its key.
using BlockKernel = CudaKernel<BlockConfig, int>;

inline BlockKernel::Definition block_definition() {
  BlockKernel::Definition definition;
  definition.source = CudaSource::text("block.cu", "source");
  definition.variant = [](const BlockConfig& config) {
    return CudaVariant{.function = "k", .defines = {{"BLOCK", std::to_string(config.block)}}};
  };
  definition.layout = [](const BlockConfig& config, const int&) {
    return CudaLayout{.grid = {1}, .block = {static_cast<unsigned>(config.block)}};
  };
  return definition;
}

struct Block : BlockKernel {
  explicit Block(const std::string& name, std::vector<int> sizes = {64, 128, 256})
      : BlockKernel(
            name, {{"BLOCK", &BlockConfig::block, std::move(sizes)}},
            [](const int& n) { return make_key(n); }, block_definition()) {}
};

/// Times from the timer, three of each config after one warm-up, the walk alone, no log.
inline Options options_with(TimerFactory timer) {
  Options options = quick(std::move(timer));
  options.n_repeat = 3;
  options.always_tune = true;
  return options;
}

using test::tuned;

inline RegionReport tuned(TimerFactory timer, const std::string& region, const std::function<void()>& body) {
  return tuned(options_with(std::move(timer)), region, body);
}

/// No time of any config is anything but what the device took.
inline void check_times(const ProblemReport& problem, std::size_t samples = 3) {
  for (const ConfigReport& config : problem.configs) {
    const auto block = static_cast<unsigned>(config.config.get<int>("BLOCK"));
    INFO("BLOCK=" << block);
    CHECK(config.time.count == samples);
    CHECK(config.time.centre_ns == static_cast<double>(ScriptedGpu::duration_of(block)));
    CHECK(config.time.spread_ns == 0);
  }
}

}  // namespace contextual::test::cuda_test
