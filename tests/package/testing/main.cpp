// A user's test of a region of two ranks: ranks are threads, and times come from a function. Fails with what
// was wrong.

#include <contextual/autotuner.hpp>
#include <contextual/kernel.hpp>
#include <contextual/testing/communicator_conformance.hpp>
#include <contextual/testing/scripted_communicator.hpp>
#include <contextual/testing/scripted_timer.hpp>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace {

struct TileConfig {
  int tile = 1;
};

/// The largest tile is fastest on rank 0 and slowest on rank 1: the ranks agree on the middle one.
std::int64_t time_on(int rank, std::size_t config_id) {
  constexpr std::int64_t times_ns[2][3] = {{9'000, 5'000, 1'000}, {6'000, 5'000, 9'000}};
  return times_ns[rank][config_id];
}

std::size_t choice_of(int rank, const std::shared_ptr<contextual::Communicator>& communicator) {
  contextual::TunableKernel kernel{
      "tiled", contextual::ConfigSpace<TileConfig>{{"TILE", &TileConfig::tile, {1, 2, 4}}},
      [](int size) { return contextual::make_key(size); }, [](const TileConfig&, int) {}};
  contextual::ContextualAutotuner tuner{
      {.log_directory = "",
       .communicator = communicator,
       .timer = contextual::testing::scripted_timer(
           [rank](const contextual::LaunchInfo& launch) { return time_on(rank, launch.config_id); })}};
  tuner.run("region", [&] { kernel(64); });
  const contextual::Report report = tuner.report();
  return report.find("region")->problems.at(0).choice;
}

}  // namespace

int main() {
  contextual::testing::ScriptedWorld world(2);
  std::vector<std::size_t> choices(2, 0);
  const auto thrown = world.run([&](int rank, const std::shared_ptr<contextual::Communicator>& communicator) {
    choices[static_cast<std::size_t>(rank)] = choice_of(rank, communicator);
  });
  if (thrown[0] || thrown[1] || choices != std::vector<std::size_t>{1, 1}) {
    std::fprintf(stderr, "the ranks chose config-%zu and config-%zu, not config-1\n", choices[0], choices[1]);
    return 1;
  }
  contextual::testing::ScriptedWorld checked(2);
  for (const std::string& violation : contextual::testing::check_communicator(
           [&](int rank) { return checked.communicator(rank); }, checked.size())) {
    std::fprintf(stderr, "%s\n", violation.c_str());
    return 1;
  }
  return 0;
}
