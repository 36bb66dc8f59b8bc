#include "search/replay_many.hpp"

#include "search/random_numbers.hpp"

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

namespace search_replay {
namespace {

/// The search's random numbers have nothing to do with the region's.
Replay replay_one(const RegionSource& source, const NamedSearch& search, std::int64_t max_runs,
                  std::uint64_t seed) {
  RandomNumbers seeds(seed);
  const std::unique_ptr<ReplayedRegion> region = source.make(seeds.next());
  return search.replay(*region, max_runs, seeds.next());
}

}  // namespace

std::vector<Replay> replay_many(const RegionSource& source, const NamedSearch& search,
                                const ManyReplays& many) {
  std::vector<Replay> replays(many.seed_count);
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr error;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < replays.size(); i = next++) {
        replays[i] = replay_one(source, search, many.max_runs, i + 1);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      error = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < many.thread_count; ++t) {
      threads.emplace_back(work);
    }
  }
  if (error) {
    std::rethrow_exception(error);
  }
  return replays;
}

}  // namespace search_replay
