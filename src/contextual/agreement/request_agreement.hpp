#pragma once

/// \file
/// The exchanges before a KernelTuner's request is looked up: all ranks ask for the same, and rank 0 tells
/// them what it has found.

#include "contextual/agreement/exchange.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace contextual::agreement {

/// What a rank is about to tune.
struct AskedRequest {
  std::string kernel;
  std::string request;        ///< as text
  std::uint64_t configs = 0;  ///< a digest of its configs and of the kernel's version
};

/// Returns what the machines of all ranks are, with the number of ranks on each. Collective: a header and a
/// gather. Throws RankMismatchError on all ranks if one of them tunes something else, and CommunicationError.
std::vector<std::string> agree_on_request(Exchange& exchange, const AskedRequest& asked);

/// Returns rank 0's text. Collective: a gather. Throws CommunicationError.
std::string told_by_rank_0(Exchange& exchange, const std::string& text);

}  // namespace contextual::agreement
