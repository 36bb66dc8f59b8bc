#pragma once

/// \file
/// Checks a Communicator against its contract. Needs no test framework; call it from a test of your own.

#include <contextual/communicator.hpp>
#include <contextual/export.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace contextual::testing {

/// Runs the checks that need every rank alive, for ranks that are real processes. A collective: every rank
/// calls it at the same point. Returns one line per violation that this rank sees; none if the communicator
/// conforms.
///
/// It finds a wrong rank or size; wrong maxima of extreme values, no values or many values; gathered bytes in
/// a wrong order, cut at a zero byte or from another rank; and results that mix successive collectives.
CONTEXTUAL_API std::vector<std::string> check_communicator_rank(
    Communicator& communicator, std::chrono::nanoseconds deadline = std::chrono::seconds(30));

/// Runs the same checks with ranks that are threads of this process, and then checks failures: the last rank
/// stays away from a collective. The other ranks must throw CommunicationError when `short_deadline` expires.
/// If they name missing ranks, they must name that one. After that, every call must throw, even if all ranks
/// call.
///
/// `make` is called once per rank, on this thread. The communicators are poisoned afterwards. Returns one
/// line per violation.
CONTEXTUAL_API std::vector<std::string> check_communicator(
    const std::function<std::shared_ptr<Communicator>(int rank)>& make, int size,
    std::chrono::nanoseconds short_deadline = std::chrono::milliseconds(200));

}  // namespace contextual::testing
