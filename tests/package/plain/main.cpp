// The smallest program that a user would write: one kernel, one region. Fails with what was wrong.

#include <contextual/contextual.hpp>

#include <cstdio>
#include <numeric>
#include <vector>

namespace {

struct SumConfig {
  int unroll = 1;
};

long sum(const SumConfig& config, const std::vector<long>& values) {
  std::vector<long> partial(static_cast<std::size_t>(config.unroll), 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    partial[i % partial.size()] += values[i];
  }
  return std::accumulate(partial.begin(), partial.end(), 0L);
}

}  // namespace

int main() {
  contextual::TunableKernel kernel{
      "sum", contextual::ConfigSpace<SumConfig>{{"UNROLL", &SumConfig::unroll, {1, 2, 4}}},
      [](const std::vector<long>& values) { return contextual::make_key(values.size()); },
      [](const SumConfig& config, const std::vector<long>& values) { return sum(config, values); }};
  const std::vector<long> values(1000, 3);

  contextual::ContextualAutotuner tuner{
      {.n_warmup = 1, .n_repeat = 1, .search = contextual::SearchLevel::off, .log_directory = ""}};
  const long total = tuner.run("sum_region", [&] { return kernel(values); });

  const contextual::Report report = tuner.report();
  const contextual::RegionReport* region = report.find("sum_region");
  if (total != 3000) {
    std::fprintf(stderr, "the region returned %ld, not 3000\n", total);
    return 1;
  }
  if (region == nullptr || region->problems.size() != 1 || region->walk_iterations < 6) {
    std::fprintf(stderr, "the region was not tuned as 3 configs x (1 + 1)\n");
    return 1;
  }
  std::printf("%s\n%s\n", region->table_text().c_str(), region->choices_text().c_str());
  return 0;
}
