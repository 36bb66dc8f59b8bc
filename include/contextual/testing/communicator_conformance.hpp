#pragma once

/// \file
/// Checks a Communicator against its contract. Framework-independent; call it from a test of your own.

#include <contextual/communicator.hpp>
#include <contextual/export.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace contextual::testing {

/// The checks that need every rank alive, for ranks that are real processes: every rank calls this at the
/// same point. Empty: conforms as seen from this rank. Else one line a violation.
///
/// Looked for: wrong rank or size, wrong maxima (extreme values, no values, many values), gathered bytes in a
/// wrong order, cut at a zero byte or of another rank, results that mix collectives that follow each other.
CONTEXTUAL_API std::vector<std::string> check_communicator_rank(
    Communicator& communicator, std::chrono::nanoseconds deadline = std::chrono::seconds(30));

/// As above for ranks that are threads of this process, and then the failures: the last rank stays away from
/// a collective. The others must throw CommunicationError when their deadline, `short_deadline`, expires; if
/// they name missing ranks, it is that one; and after that every call throws, also when all ranks call.
/// `make` is called once per rank, from this thread. The communicators are poisoned afterwards.
CONTEXTUAL_API std::vector<std::string> check_communicator(
    const std::function<std::shared_ptr<Communicator>(int rank)>& make, int size,
    std::chrono::nanoseconds short_deadline = std::chrono::milliseconds(200));

}  // namespace contextual::testing
