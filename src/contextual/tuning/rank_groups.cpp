#include "contextual/tuning/rank_groups.hpp"

#include <contextual/launch_registry.hpp>

#include <mutex>

namespace contextual::tuning {

std::string scope_of_group(const std::shared_ptr<Communicator>& communicator, const Communicator* own) {
  std::string of_process(communicator->process_scope());
  if (communicator.get() == own || communicator->size() == 1) {
    return of_process;
  }
  static std::mutex mutex;
  static std::uint64_t known = 0;
  // Told apart as long as they are remembered, whether they live or not.
  static std::map<std::weak_ptr<Communicator>, std::uint64_t, std::owner_less<>> groups;
  const std::lock_guard lock(mutex);
  const auto [group, is_new] = groups.try_emplace(communicator, known);
  known += is_new ? 1 : 0;
  return of_process + "/group " + std::to_string(group->second);
}

bool KnownRegion::locked_in(std::uint32_t region_id, SearchLevel search) const {
  return locked_in_at_ == LaunchRegistry::instance().publications(region_id) && search <= searched_by_;
}

void KnownRegion::note_locked_in(std::uint32_t region_id, SearchLevel search) {
  searched_by_ = search;
  locked_in_at_ = LaunchRegistry::instance().publications(region_id);
}

RankGroup& RankGroups::of(const options::ResolvedOptions& options) {
  RankGroup& group = groups_[options.communicator.get()];
  group.communicator = options.communicator;
  return group;
}

agreement::Exchange& RankGroups::exchange_for(const options::ResolvedOptions& options) {
  std::unique_ptr<agreement::Exchange>& exchange = of(options).exchange;
  // A deadline that makes no sense is told to the others, who need time to come.
  const auto timeout = options.deadline.count() > 0 ? options.deadline : options::ResolvedOptions{}.deadline;
  const bool inherited = exchange && options.communicator->size() == 1 && !exchange->of_this_process();
  if (!exchange || inherited) {
    exchange = std::make_unique<agreement::Exchange>(*options.communicator, timeout);
  }
  exchange->set_timeout(timeout);
  return *exchange;
}

}  // namespace contextual::tuning
