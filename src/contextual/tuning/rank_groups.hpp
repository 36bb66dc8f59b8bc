#pragma once

/// \file
/// The groups of ranks that a tuner has tuned with.

#include "contextual/agreement/exchange.hpp"
#include "contextual/agreement/hello.hpp"
#include "contextual/options/resolved_options.hpp"

#include <contextual/communicator.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace contextual::tuning {

/// Returns the scope of region ids, which tells apart what is locked in with different groups of ranks: that
/// of the process for the tuner's own ranks and for single ranks, else a text of this communicator alone.
/// Thread-safe.
std::string scope_of_group(const std::shared_ptr<Communicator>& communicator, const Communicator* own);

/// Keeps one exchange per communicator, and what is known about the ranks behind it. Used under the tuner's
/// run lock.
class RankGroups {
 public:
  /// Returns the exchange over the options' communicator, with the options' deadline. A forked child that
  /// runs alone gets a new exchange. A forked child with peers keeps its parent's, every call of which throws
  /// Error.
  agreement::Exchange& exchange_for(const options::ResolvedOptions& options);

  /// Returns true if all ranks of this communicator have met before and agreed on their options.
  bool met(const options::ResolvedOptions& options) const {
    return met_.contains(options.communicator.get());
  }
  /// `hello` says whether rank 0 keeps choices.
  void note_met(const options::ResolvedOptions& options, const agreement::Hello& hello) {
    met_.insert(options.communicator.get());
    if (hello.keeps_choices) {
      keeping_.insert(options.communicator.get());
    }
  }

  /// Returns true if these ranks have looked for kept choices of the region.
  bool looked(const std::string& region, const options::ResolvedOptions& options) const {
    return looked_.contains({options.communicator.get(), region});
  }
  void note_looked(const std::string& region, const options::ResolvedOptions& options) {
    looked_.emplace(options.communicator.get(), region);
  }

  /// The same for what is pinned, which is read along with choices, or alone where these do not count.
  bool looked_for_pins(const std::string& region, const options::ResolvedOptions& options) const {
    return pins_read_.contains({options.communicator.get(), region}) || looked(region, options);
  }
  void note_looked_for_pins(const std::string& region, const options::ResolvedOptions& options) {
    pins_read_.emplace(options.communicator.get(), region);
  }

  /// Returns true if rank 0 keeps choices, as it has said when the ranks met. In modes use and off they then
  /// meet for every region.
  bool keeps_choices(const options::ResolvedOptions& options) const {
    return keeping_.contains(options.communicator.get());
  }

  /// Returns true if everything that the region launched in its last tuning run has a lasting choice, and
  /// nobody has published another choice for the region since.
  bool settled(const std::string& region, std::uint32_t region_id,
               const options::ResolvedOptions& options) const;
  void note_settled(const std::string& region, std::uint32_t region_id,
                    const options::ResolvedOptions& options);
  void forget_settled(const std::string& region, const options::ResolvedOptions& options);

 private:
  std::map<Communicator*, std::unique_ptr<agreement::Exchange>> exchanges_;
  std::vector<std::shared_ptr<Communicator>> communicators_;  ///< live as long as their exchanges
  std::set<Communicator*> met_;
  std::set<Communicator*> keeping_;
  std::set<std::pair<Communicator*, std::string>> looked_;
  std::set<std::pair<Communicator*, std::string>> pins_read_;
  std::map<std::pair<Communicator*, std::string>, std::uint64_t> settled_;  ///< publications_of then
};

}  // namespace contextual::tuning
