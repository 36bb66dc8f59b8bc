#pragma once

/// \file
/// The groups of ranks that a tuner has tuned with.

#include "contextual/agreement/exchange.hpp"
#include "contextual/options/resolved_options.hpp"

#include <contextual/communicator.hpp>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace contextual::tuning {

/// Keeps one exchange a communicator, and what is known of the ranks behind it. Used under the tuner's run
/// lock.
class RankGroups {
 public:
  /// The exchange over the options' communicator, with their deadline. A child of fork that runs alone gets a
  /// new one; one that has peers keeps its parent's, which refuses to speak for the parent.
  agreement::Exchange& exchange_for(const options::ResolvedOptions& options);

  /// All ranks were once found to agree on this communicator.
  bool met(const options::ResolvedOptions& options) const {
    return met_.contains(options.communicator.get());
  }
  void note_met(const options::ResolvedOptions& options) { met_.insert(options.communicator.get()); }

  /// Everything that the region launched when it was tuned last is locked in, to stay.
  bool settled(const std::string& region, const options::ResolvedOptions& options) const {
    return settled_.contains({options.communicator.get(), region});
  }
  void set_settled(const std::string& region, const options::ResolvedOptions& options, bool settled);

 private:
  std::map<Communicator*, std::unique_ptr<agreement::Exchange>> exchanges_;
  std::vector<std::shared_ptr<Communicator>> communicators_;  ///< kept while their exchange is
  std::set<Communicator*> met_;
  std::set<std::pair<Communicator*, std::string>> settled_;
};

}  // namespace contextual::tuning
