#pragma once

/// \file
/// Kernels that do nothing, and whose times come from a script, for benchmarks of the tuner itself.

#include "figures.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/kernel.hpp>
#include <contextual/testing/scripted_communicator.hpp>
#include <contextual/testing/scripted_timer.hpp>

#include <malloc.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

namespace contextual::benchmarks {

/// So many configs that differ in the number V.
inline ConfigSpace<Config> numbered_configs(std::size_t count) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), 0);
  return {{"V", values}};
}

/// The time of a config of them.
inline std::int64_t time_by_number(const LaunchInfo& launch) {
  return static_cast<std::int64_t>(1000 + 10 * launch.config_id);
}

/// Calls `body` on each rank of the world. Throws what a rank throws.
inline void run_on_ranks(
    testing::ScriptedWorld& world,
    const std::function<void(int rank, const std::shared_ptr<Communicator>& communicator)>& body) {
  for (const std::exception_ptr& thrown : world.run(body)) {
    if (thrown) {
      std::rethrow_exception(thrown);
    }
  }
}

/// So that `tune_on_ranks` sees the memory of all threads.
inline void use_one_arena() {
  mallopt(M_ARENA_MAX, 1);
}

/// What a tuning run costs.
struct RunCost {
  double seconds = 0;     ///< wall time of all ranks on this machine
  std::int64_t runs = 0;  ///< of the region, on rank 0
  std::size_t bytes = 0;  ///< of the heap, held by all ranks after the run, reports included
};

/// Calls `tune` on each rank with a tuner of its own and the number of the region's runs, which it counts up.
inline RunCost tune_on_ranks(
    testing::ScriptedWorld& world, const Options& options,
    const std::function<void(ContextualAutotuner& tuner, int rank, std::int64_t& runs)>& tune) {
  std::vector<std::unique_ptr<ContextualAutotuner>> tuners;
  for (int rank = 0; rank < world.size(); ++rank) {
    tuners.push_back(std::make_unique<ContextualAutotuner>(options));
  }
  const auto held = [] { return mallinfo2().uordblks + mallinfo2().hblkhd; };
  RunCost cost;
  const std::size_t before = held();
  cost.seconds = elapsed([&] {
    run_on_ranks(world, [&](int rank, const auto&) {
      std::int64_t runs = 0;
      tune(*tuners[static_cast<std::size_t>(rank)], rank, runs);
      if (rank == 0) {
        cost.runs = runs;
      }
    });
  });
  cost.bytes = held() - before;
  return cost;
}

}  // namespace contextual::benchmarks
