#pragma once

/// \file
/// A tunable kernel on a scripted GPU, tuned by the engine as users do.

#include "support/engine.hpp"
#include "unit/cuda/scripted_cupti.hpp"
#include "unit/cuda/scripted_driver.hpp"
#include "unit/cuda/scripted_nvrtc.hpp"

#include <contextual/cuda.hpp>

#include <cstdlib>
#include <functional>
#include <string>

namespace cuda_test {

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
  contextual::cuda::Nvrtc nvrtc_table;
  contextual::cuda::NvrtcReplacement nvrtc_replaced{nvrtc_table};
};

struct BlockConfig {
  int block = 64;
};

/// Its argument is its key.
using BlockKernel = contextual::CudaKernel<BlockConfig, int>;

inline BlockKernel::Definition block_definition() {
  BlockKernel::Definition definition;
  definition.source = contextual::CudaSource::text("block.cu", "source");
  definition.variant = [](const BlockConfig& config) {
    return contextual::CudaVariant{.function = "k", .defines = {{"BLOCK", std::to_string(config.block)}}};
  };
  definition.layout = [](const BlockConfig& config, const int&) {
    return contextual::CudaLayout{.grid = {1}, .block = {static_cast<unsigned>(config.block)}};
  };
  return definition;
}

struct Block : BlockKernel {
  explicit Block(const std::string& name, std::vector<int> sizes = {64, 128, 256})
      : BlockKernel(
            name, {{"BLOCK", &BlockConfig::block, std::move(sizes)}},
            [](const int& n) { return contextual::make_key(n); }, block_definition()) {}
};

/// Times from the timer, three of each config after one warm-up, the walk alone, no log.
inline contextual::Options options_with(contextual::TimerFactory timer) {
  contextual::Options options = engine_test::quick(std::move(timer));
  options.n_repeat = 3;
  options.always_tune = true;
  return options;
}

using engine_test::of_kernel;
using engine_test::tuned;

inline contextual::RegionReport tuned(contextual::TimerFactory timer, const std::string& region,
                                      const std::function<void()>& body) {
  return engine_test::tuned(options_with(std::move(timer)), region, body);
}

/// No time of any config is anything but what the device took.
inline void check_times(const contextual::ProblemReport& problem, std::size_t samples = 3) {
  for (const contextual::ConfigReport& config : problem.configs) {
    const auto block = static_cast<unsigned>(config.config.get<int>("BLOCK"));
    INFO("BLOCK=" << block);
    CHECK(config.time.count == samples);
    CHECK(config.time.centre_ns == static_cast<double>(ScriptedGpu::duration_of(block)));
    CHECK(config.time.spread_ns == 0);
  }
}

}  // namespace cuda_test
