#pragma once

/// \file
/// The config spaces that all ranks of a run know.

#include "contextual/agreement/exchange.hpp"
#include "contextual/launch/problem_slot.hpp"

#include <contextual/config.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace contextual::agreement {

/// Spaces by their digest: the same ones on all ranks, with the same configs. Not thread-safe.
class KnownSpaces {
 public:
  using Configs = std::shared_ptr<const std::vector<Config>>;
  /// By the digest of a space, the ranks that have a kernel with it, in order.
  using Owners = std::map<std::uint64_t, std::vector<std::size_t>>;

  /// Returns null for a space that some rank may not know.
  Configs find(std::uint64_t digest) const;
  /// Adds the space of a problem that every rank launches.
  void add(const detail::ProblemSlot& slot);
  /// Adds spaces that some ranks have; `own` are this rank's problems. The first owner of a space tells it if
  /// another rank lacks it, so that no space is told twice. Collective if any is told. Throws
  /// CommunicationError.
  void add(const Owners& owners, const std::vector<detail::ProblemSlot*>& own, Exchange& exchange);

 private:
  std::map<std::uint64_t, Configs> spaces_;
};

}  // namespace contextual::agreement
