#include <contextual/detail/sync/ongoing_run.hpp>

#include <atomic>

namespace contextual::detail {
namespace {

// Atomics of this kind are never destroyed: exit handlers read them.
constinit std::atomic<int> ongoing{0};
constinit std::atomic<std::chrono::milliseconds> latest_deadline{RunBounds{}.deadline};
constinit std::atomic<std::chrono::milliseconds> latest_grace{RunBounds{}.grace};

}  // namespace

OngoingRun::OngoingRun(const RunBounds& bounds) noexcept {
  latest_deadline.store(bounds.deadline);
  latest_grace.store(bounds.grace);
  ongoing.fetch_add(1);
}

OngoingRun::~OngoingRun() {
  ongoing.fetch_sub(1);
}

bool OngoingRun::any() noexcept {
  return ongoing.load() > 0;
}

RunBounds OngoingRun::latest_bounds() noexcept {
  return {latest_deadline.load(), latest_grace.load()};
}

}  // namespace contextual::detail
