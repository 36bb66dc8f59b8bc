#include "contextual/tuning/noted_launch.hpp"

#include "contextual/launch/thread_log.hpp"
#include "contextual/launch/thread_state_scope.hpp"

#include <algorithm>

namespace contextual::tuning {

using detail::KernelCore;

void NotedLaunch::note(const Key& key) {
  if (kernel_ == nullptr) {
    return;
  }
  key_text_ = kernel_->key_text(key);
  const int resolved = kernel_->resolve(key);
  if (resolved == KernelCore::tuning) {
    untuned_config_.reset();
    return;
  }
  const bool watched = resolved <= KernelCore::first_watched;
  untuned_config_ = static_cast<std::size_t>(watched ? KernelCore::first_watched - resolved : resolved);
  const detail::ThreadState& thread = detail::thread_state();
  pinned_by_ = kernel_->pinning_file(detail::region_of(thread), key, thread.scope);
}

void NotedLaunch::note_tuned() {
  const detail::ThreadLog* const log = detail::thread_state().log;
  if (kernel_ == nullptr || log == nullptr) {
    return;
  }
  const auto last = std::find_if(log->records.rbegin(), log->records.rend(), [&](const auto& record) {
    return record.slot->problem.name == problem_name();
  });
  if (last != log->records.rend()) {
    key_text_ = last->slot->problem.key_text;
  }
}

const std::string& NotedLaunch::problem_name() const {
  const detail::KernelTraits& traits = kernel_->traits();
  return traits.coupling.empty() ? traits.name : traits.coupling;
}

const ProblemReport* NotedLaunch::problem_in(const RegionReport& run) const {
  if (key_text_.empty()) {  // launched by another thread, or in another name
    return run.problems.size() == 1 ? &run.problems.front() : nullptr;
  }
  const auto found = std::find_if(run.problems.begin(), run.problems.end(),
                                  [&, name = problem_name()](const ProblemReport& problem) {
                                    return problem.kernel == name && problem.key == key_text_;
                                  });
  return found == run.problems.end() ? nullptr : &*found;
}

std::string NotedLaunch::reason(const RegionReport* run) const {
  if (!pinned_by_.empty()) {
    return "pinned by " + pinned_by_;
  }
  const ProblemReport* const known = run == nullptr ? nullptr : problem_in(*run);
  if (known != nullptr && known->choice == untuned_config_) {
    return known->reason;
  }
  return untuned_config_.value_or(0) == 0 ? "the default: nothing was tuned"
                                          : "locked in before: nothing was tuned";
}

}  // namespace contextual::tuning
