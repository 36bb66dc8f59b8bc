#pragma once

/// \file
/// What a journal says of the processes that have written it, line by line. Pure.

#include "contextual/journal/quarantine.hpp"
#include "contextual/policy/batch_outcome.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::journal {

/// Of all lines of a journal. Those of other formats have other names.
inline constexpr std::uint64_t format_version = 7;

/// What a line says, besides those of batches.
enum class Event {
  begins,      ///< a process, see Quarantine::begin
  heading,     ///< a run: a digest of what it is about, and the sets of choices that its search began with
  runs,        ///< what may end the process from now on
  back,        ///< what was running has come back, where no batch says so
  called_off,  ///< the run has ended otherwise than by what was running
  quarantine,  ///< what is in it, where a run has ended well and nothing else is kept
};

/// A step of a tuning run that the ranks have agreed on, as the state was given it.
struct BatchRecord {
  std::uint64_t number = 1;  ///< in the run, counted from 1
  std::uint64_t plan_digest = 0;
  std::size_t length = 1;  ///< of the plan, in tuning iterations
  /// The problems that have joined, and in the first batch in any case: it has to be run again, because only
  /// launches tell what they are.
  std::string joined{};
  bool unprepared = false;  ///< the batch was not run: its outcome is configs that could not be prepared
  policy::BatchOutcome outcome{};
  bool comparing = false;  ///< a paired comparison had begun and was not over
};

/// Return one line of JSON, without a line end.
std::string line_of(Event event, const std::vector<std::string>& texts = {});
std::string line_of(const BatchRecord& record);

/// Takes in the lines of a journal in their order.
struct History {
  /// `line` is one that a function of this room has returned.
  void take_in(std::string_view line);

  std::string heading{};               ///< of `batches`
  std::vector<std::string> starts{};   ///< see Event::heading
  std::vector<BatchRecord> batches{};  ///< each with its place as number, counted from 1
  Quarantine quarantine{};
};

}  // namespace contextual::journal
