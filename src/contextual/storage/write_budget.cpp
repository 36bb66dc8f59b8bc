#include "contextual/storage/write_budget.hpp"

#include <sys/resource.h>

namespace contextual::storage {
namespace {

/// Of one write. A file system that answers takes microseconds.
constexpr std::chrono::milliseconds slow{5};

/// How often this thread has lost its processor to another one.
long preemptions() noexcept {
  ::rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

}  // namespace

std::string WriteBudget::spend(const std::function<std::string()>& write) {
  if (left_ns_.load() <= 0) {
    return "writing has taken more than " + std::to_string(most.count()) + " ms of this tuning";
  }
  const long before = preemptions();
  const auto begin = std::chrono::steady_clock::now();
  std::string problem = write();
  const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - begin;
  // Time in which other threads had the processor is not the disk's.
  if (took >= slow && preemptions() == before) {
    left_ns_.fetch_sub(took.count());
  }
  return problem;
}

}  // namespace contextual::storage
