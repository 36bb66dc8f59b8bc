#include "contextual/tuning/run_warnings.hpp"

#include "contextual/tuning/ever_new_keys.hpp"

#include <contextual/detail/storage/warning.hpp>
#include <contextual/launch_registry.hpp>

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace contextual::tuning {

using detail::BatchKind;

namespace {

/// Nothing if the timer measures devices, or no kernel was launched on a stream. The same text in every
/// batch.
std::optional<std::string> device_timer_warning(const Timer& timer,
                                                const std::deque<detail::ProblemSlot>& slots) {
  if (timer.measures_devices()) {
    return std::nullopt;
  }
  for (const detail::ProblemSlot& slot : slots) {
    for (const auto& member : slot.found.members) {
      if (member->traits().works_on_stream()) {
        return "kernel \"" + member->traits().name + "\" works on a GPU, but the timer \"" +
               std::string(timer.name()) +
               "\" measures only how long the call of a launch takes. Give the options a timer of devices: "
               "Options{.timer = contextual::cuda_or_host_timer}, or once in the program "
               "contextual::set_default_timer(contextual::cuda_or_host_timer). Without a GPU, that timer is "
               "the "
               "host's clock, too";
      }
    }
  }
  return std::nullopt;
}

}  // namespace

RunWarnings::RunWarnings(detail::RunContext& context, const options::ResolvedOptions& options,
                         record::Recorder& recorder)
    : context_(context), options_(options), recorder_(recorder) {
  for (auto& kernel : LaunchRegistry::instance().kernels()) {
    const std::uint64_t before = kernel->unguarded_launches().load(std::memory_order_relaxed);
    unguarded_before_.emplace_back(std::move(kernel), before);
  }
}

void RunWarnings::tell_batch(const detail::BatchPlan& plan, const detail::BatchResult& result) {
  if (plan.kind != BatchKind::final_run) {
    note_loading();
    note_kept_configs();
  }
  recorder_.conditions(plan, result);
  for (const std::string& warning : result.conditions.warnings) {
    context_.note(warning);
  }
  note_timer();
  for (const std::string& note : context_.take_notes()) {
    recorder_.warning(note);
  }
  for (const std::string& warning : context_.take_said()) {
    recorder_.said(warning);
  }
}

/// Said once a run, of the kernels that it launched.
void RunWarnings::note_loading() {
  const std::string hazard = context_.timer().loading_hazard();
  if (hazard.empty()) {
    return;
  }
  for (const detail::ProblemSlot& slot : context_.slots()) {
    for (const auto& member : slot.found.members) {
      const detail::KernelTraits& traits = member->traits();
      if (traits.works_on_stream() && (!traits.load || traits.load_needs_key)) {
        context_.note(
            "kernel \"" + traits.name + "\" has no `load`" +
            (traits.load ? " that takes the config alone" : "") + ": " + hazard +
            ", which may wait for the device, for ever beside a kernel that waits for a later launch. Load "
            "each config in `load`, for example by load_kernel");
      }
    }
  }
}

/// `keep` may have left out all of them, on all ranks together.
void RunWarnings::note_kept_configs() {
  for (const detail::ProblemSlot& slot : context_.slots()) {
    const std::vector<bool>& left_out = slot.found.left_out;
    if (!left_out.empty() && std::find(left_out.begin(), left_out.end(), false) == left_out.end()) {
      context_.note("kernel \"" + slot.problem.name + "\" " + slot.problem.key_text +
                    ": `keep` leaves out every config, so the default is launched, which it leaves out, too. "
                    "Let it return true for at least one config" +
                    (options_.communicator->size() > 1 ? ", the same one on all ranks" : ""));
    }
  }
}

void RunWarnings::note_timer() {
  const auto warning = device_timer_warning(context_.timer(), context_.slots());
  if (!warning) {
    return;
  }
  if (!std::exchange(timer_noted_, true)) {
    recorder_.loud_warning(*warning);  // such times choose nothing
  }
}

void RunWarnings::tell_of_results(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) {
    recorder_.loud_warning(note);
  }
}

void RunWarnings::tell_end(std::size_t unjoined_count, const policy::FarShare& stalls) {
  tell_unguarded();
  tell_stalls(stalls);
  for (const std::string& warning :
       ever_new_keys(context_.region_id(), context_.region(), context_.slots())) {
    recorder_.loud_warning(warning);
  }
  if (unjoined_count > 0) {
    recorder_.warning("the final run launched " + std::to_string(unjoined_count) +
                      " new kernels or keys, with their defaults; the next run tunes them");
  }
  if (context_.untracked_launches() > 0) {
    recorder_.loud_warning(std::to_string(context_.untracked_launches()) + " launches had keys beyond the " +
                           std::to_string(detail::RunContext::most_problems) +
                           " tuning problems of a run and used their defaults: make keys coarser");
  }
}

/// A busy machine, or sets that are erratic themselves.
void RunWarnings::tell_stalls(const policy::FarShare& stalls) {
  constexpr std::size_t few = 2;
  constexpr double small_part = 0.02;
  if (stalls.far > few && stalls.of_all() > small_part) {
    recorder_.warning(std::to_string(stalls.far) + " of " + std::to_string(stalls.count) +
                      " runs took more than three times the median of their configs: the machine is busy, or "
                      "configs are erratic");
  }
}

/// Launches by threads without the region's context.
void RunWarnings::tell_unguarded() {
  for (const auto& [kernel, before] : unguarded_before_) {
    const std::uint64_t count = kernel->unguarded_launches().load(std::memory_order_relaxed) - before;
    if (count > 0) {
      recorder_.loud_warning(
          std::to_string(count) + " launches of kernel \"" + kernel->traits().name +
          "\" came from threads without a region's context while this run was active; they "
          "were not tuned. If they belong to the region, give its worker threads a "
          "ContextGuard");
    }
  }
}

}  // namespace contextual::tuning
