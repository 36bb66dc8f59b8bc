// Opens a region and calls a kernel that lives in a plugin, loaded with RTLD_LOCAL. The kernel must be seen,
// tuned and locked in; a config that the plugin rejects must arrive as a rejection, not as a foreign
// exception; after the plugin is unloaded the tuner must still report, and tune other regions.

#include "plugin.hpp"

#include <contextual/autotuner.hpp>

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

void require(bool condition, const std::string& message) {
  if (!condition) {
    std::fprintf(stderr, "failed: %s\n", message.c_str());
    std::exit(1);
  }
}

template <typename Function>
Function symbol(void* plugin, const char* name) {
  void* address = dlsym(plugin, name);
  require(address != nullptr, std::string("the plugin has no ") + name);
  return reinterpret_cast<Function>(address);
}

void check_report(const contextual::Report& report, int last_unroll) {
  const contextual::RegionReport* region = report.find("application_region");
  require(region != nullptr, "the report has no region application_region");
  require(region->problems.size() == 1,
          "one tuning problem expected, not " + std::to_string(region->problems.size()));
  const contextual::ProblemReport& problem = region->problems.front();
  require(problem.kernel == "plugin_scale", "the kernel is called " + problem.kernel);
  require(problem.outcome == contextual::ProblemOutcome::locked_in, "the kernel is not locked in");
  require(problem.configs.size() == 3, "three configs expected");
  require(problem.configs[0].time.count == 2 && problem.configs[1].time.count == 2,
          "two samples a config expected");
  require(problem.configs[2].rejection.has_value(), "the rejected config is not reported");
  require(problem.configs[2].rejection->find("cannot unroll by 4") != std::string::npos,
          "the reason is lost: " + *problem.configs[2].rejection);
  require(last_unroll == problem.choice_config.get<int>("UNROLL"), "the final run did not use the choice");
}

}  // namespace

int main(int argc, char** argv) {
  require(argc == 2, "usage: application <plugin>");
  void* plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  require(plugin != nullptr, plugin == nullptr ? dlerror() : "");
  const auto scale = symbol<ScaleFunction>(plugin, "plugin_scale");
  const auto last_unroll = symbol<LastUnrollFunction>(plugin, "plugin_last_unroll");

  std::vector<float> values(1 << 14, 1.0F);
  contextual::ContextualAutotuner tuner{
      {.n_warmup = 1, .n_repeat = 2, .search = contextual::SearchLevel::off, .log_directory = ""}};
  tuner.run("application_region", [&] { scale(values.data(), values.size(), 1.0F); });
  check_report(tuner.report(), last_unroll());

  const int tuned_unroll = last_unroll();
  scale(values.data(), values.size(), 1.0F);
  require(last_unroll() == tuned_unroll, "a launch outside of run does not use what is locked in");

  require(dlclose(plugin) == 0, "dlclose");
  require(dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) == nullptr,
          "the plugin is still loaded: the test shows nothing");
  const contextual::Report after = tuner.report();
  require(!after.find("application_region")->choices_text().empty(), "no choices after unloading");
  require(tuner.run("other_region", [] { return 7; }) == 7, "a region without kernels returns its value");
  std::printf("ok\n");
  return 0;
}
