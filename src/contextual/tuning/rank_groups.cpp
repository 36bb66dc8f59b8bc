#include "contextual/tuning/rank_groups.hpp"

namespace contextual::tuning {

agreement::Exchange& RankGroups::exchange_for(const options::ResolvedOptions& options) {
  auto& exchange = exchanges_[options.communicator.get()];
  // A deadline that makes no sense is told to the others, who need time to come.
  const auto timeout = options.deadline.count() > 0 ? options.deadline : options::ResolvedOptions{}.deadline;
  const bool inherited = exchange && options.communicator->size() == 1 && !exchange->of_this_process();
  if (!exchange || inherited) {
    exchange = std::make_unique<agreement::Exchange>(*options.communicator, timeout);
    communicators_.push_back(options.communicator);
  }
  exchange->set_timeout(timeout);
  return *exchange;
}

void RankGroups::set_settled(const std::string& region, const options::ResolvedOptions& options,
                             bool settled) {
  const std::pair place(options.communicator.get(), region);
  if (settled) {
    settled_.insert(place);
  } else {
    settled_.erase(place);
  }
}

}  // namespace contextual::tuning
