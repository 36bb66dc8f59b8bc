/// \file
/// Prints the documented iteration table from real launches: which config every kernel used in every run of
/// the region.

#include "common/search_level.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/kernel.hpp>
#include <contextual/key.hpp>

#include <CLI/CLI.hpp>

#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace {

/// How many elements are summed before the partial sum is added to the total.
struct SumConfig {
  int block = 256;
};

using SumKernel = contextual::TunableKernel<void(const SumConfig&, const std::vector<float>&, float&)>;

void sum(const SumConfig& config, const std::vector<float>& values, float& total) {
  total = 0;
  for (auto begin = values.begin(); begin < values.end();) {
    const auto end = values.end() - begin > config.block ? begin + config.block : values.end();
    total += std::accumulate(begin, end, 0.0F);
    begin = end;
  }
}

/// "kernel-0", "kernel-1", ... with this many configs: blocks of 256, 512, 768, ...
std::unique_ptr<SumKernel> make_kernel(std::size_t index, int config_count) {
  std::vector<int> blocks;
  for (int i = 1; i <= config_count; ++i) {
    blocks.push_back(256 * i);
  }
  return std::make_unique<SumKernel>(
      "kernel-" + std::to_string(index),
      contextual::ConfigSpace<SumConfig>{{"BLOCK", &SumConfig::block, blocks}},
      [](const std::vector<float>& values, const float&) { return contextual::make_key(values.size()); },
      sum);
}

struct CommandLine {
  int warmup = 1;
  int repeat = 1;
  std::vector<int> configs{2, 3};
  contextual::SearchLevel search = contextual::SearchLevel::off;
};

void print_table(const CommandLine& command_line) {
  std::vector<std::unique_ptr<SumKernel>> kernels;
  for (const int count : command_line.configs) {
    kernels.push_back(make_kernel(kernels.size(), count));
  }
  const std::vector<float> values(10'000, 0.5F);
  std::vector<float> totals(kernels.size());

  contextual::ContextualAutotuner tuner{
      {.n_warmup = command_line.warmup, .n_repeat = command_line.repeat, .search = command_line.search}};
  int runs = 0;
  tuner.run("iteration_table", [&] {
    ++runs;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      (*kernels[i])(values, totals[i]);
    }
  });

  const contextual::Report report = tuner.report();
  const contextual::RegionReport& region = *report.find("iteration_table");
  std::cout << region.table_text() << "\nThe region ran " << runs << " times: " << region.walk_iterations
            << " of the walk, " << region.search_iterations
            << " of the search and the final run. best-config is:\n"
            << region.choices_text();
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine command_line;
  CLI::App app{"Prints the iteration table of a region with some small kernels"};
  app.add_option("--warmup", command_line.warmup, "uses of a config before its samples count")
      ->capture_default_str();
  app.add_option("--repeat", command_line.repeat, "samples of a config")->capture_default_str();
  app.add_option("--configs", command_line.configs, "number of configs of each kernel")
      ->delimiter(',')
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  examples::add_search_option(app, command_line.search);
  CLI11_PARSE(app, argc, argv);
  try {
    print_table(command_line);
  } catch (const std::exception& error) {
    std::cerr << "iteration_table: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
