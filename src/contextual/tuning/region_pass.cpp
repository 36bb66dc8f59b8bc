#include "contextual/tuning/region_pass.hpp"

#include <contextual/error.hpp>

#include <memory>
#include <utility>

namespace contextual::tuning {

using detail::UsePass;

RegionPass run_in_pass(const std::function<void()>& region, detail::ThreadState state, UsePass& use) {
  state.use = &use;
  RegionPass pass;
  try {
    const detail::ThreadStateScope scope(state);
    region();
  } catch (const ConfigRejected&) {
    pass.thrown = std::current_exception();
    pass.refused = use.rejected();  // otherwise it is the region's own
  } catch (...) {
    pass.thrown = std::current_exception();
  }
  pass.rejected = use.rejected();
  pass.something_new = use.new_on_all() || use.new_elsewhere() || pass.rejected;
  return pass;
}

RegionPass run_locked_in(const std::function<void()>& region, const std::string& name,
                         detail::ThreadState state, FailedChoice failed,
                         const options::ResolvedOptions& options) {
  const Communicator& ranks = *options.communicator;
  auto use = std::make_unique<UsePass>(
      failed == FailedChoice::is_noted ? UsePass::Failures::are_watched : UsePass::Failures::are_the_callers,
      detail::namesakes_in(ranks.process_scope()), UsePass::New::is_noted,
      ranks.size() > 1 ? ranks.rank() : -1);
  RegionPass pass = run_in_pass(region, state, *use);
  if (use->has_live_guards()) {
    abandon(std::move(use));
    if (!pass.thrown) {
      throw_outlived_guard(name);
    }
  }
  return pass;
}

void throw_outlived_guard(const std::string& region) {
  throw Error("region \"" + region +
              "\" returned while a thread held a ContextGuard: a guard lives within one run of the region, "
              "so that its thread makes a new one each time");
}

}  // namespace contextual::tuning
