#pragma once

#include <contextual/phase.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::agreement {

/// What an exchange is about.
enum class Stage {
  hello,         ///< before the first tuning iteration: whether all ranks are about to do the same
  kept_choices,  ///< choices on the disk: which of them all ranks can use
  prepare,       ///< what could not be prepared for the next batch
  batch,         ///< what happened in a batch
  final_run,
  plain_run,  ///< a run in which everything was locked in already
  part,       ///< the time of a part of the region, or of the whole, when everything is locked in
};

/// Returns the stage's name, which the header compares: ranks at different stages are at different points of
/// the program.
std::string_view to_string(Stage stage) noexcept;

/// Where a run stands in its exchange, for messages.
struct ExchangePlace {
  std::string region;
  Stage stage = Stage::hello;
  Phase phase = Phase::walk;
  std::int64_t first_iteration = 0;  ///< of the batch
  std::int64_t last_iteration = 0;
};

/// Returns e.g. `region "r", in the exchange after tuning iterations 3 to 10 of the walk`.
std::string to_text(const ExchangePlace& place);

/// Returns the message of a failed exchange: the place, the deadline, the words of the transport, and what to
/// do.
std::string communication_text(const ExchangePlace& place, std::chrono::milliseconds deadline,
                               const std::string& cause, const std::vector<int>& missing_ranks);

}  // namespace contextual::agreement
