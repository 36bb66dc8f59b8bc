#pragma once

/// \file
/// The exchanges before a KernelTuner tunes: all ranks ask for the same, rank 0 tells them what it has
/// cached, and all take that or none does.

#include "contextual/agreement/exchange.hpp"

#include <contextual/detail/storage/machine.hpp>

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

namespace contextual::agreement {

/// What a rank is about to tune.
struct AskedRequest {
  std::string kernel;         ///< its name; messages call the region so
  std::string request;        ///< as text
  std::uint64_t configs = 0;  ///< a digest of its configs and of the kernel's version
};

/// Returns what the machines of all ranks are, with the number of ranks on each. Collective: a header and a
/// gather.
///
/// `setup_failure` is why this rank cannot ask; null if it can. Rethrows it; the other ranks then throw
/// RegionFailedError. Throws RankMismatchError on all ranks if one of them tunes something else, and
/// CommunicationError.
std::vector<detail::Machine> agree_on_request(Exchange& exchange, const AskedRequest& asked,
                                              const std::exception_ptr& setup_failure);

/// Returns rank 0's text. Collective: a gather. Throws CommunicationError.
std::string text_of_rank_0(Exchange& exchange, const std::string& text);

/// Returns true if `agrees` is true on all ranks. Collective: a reduction. Throws CommunicationError.
bool all_agree(Exchange& exchange, bool agrees);

}  // namespace contextual::agreement
