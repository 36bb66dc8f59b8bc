#pragma once

/// \file
/// What a journal says of a tuning run: the input of its replicated state, batch by batch. Pure.

#include "contextual/policy/batch_outcome.hpp"

#include <contextual/detail/storage/machine.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::journal {

/// Of all lines of a journal. Those of other formats have other names.
inline constexpr std::uint64_t format_version = 6;

/// What a journal is about: another run can go on with it only if all of this is equal, but for `starts`.
struct Heading {
  std::string region;
  std::string options;                    ///< those that ranks agree on
  std::vector<detail::Machine> machines;  ///< by rank
  std::vector<std::string> kernels;   ///< by rank: a digest of all kernels, their config spaces and versions
  std::vector<std::string> starts{};  ///< sets of choices that its search began with: the run keeps to them
};

/// The tuning problems that have joined in a batch.
struct Joined {
  std::size_t count = 0;
  std::uint64_t digest = 0;
  std::string names;  ///< for people
};

/// A batch whose outcome the ranks have agreed on. Its members are what the state was given, in this order.
struct BatchRecord {
  std::uint64_t batch = 1;  ///< its number in the run, counted from 1
  /// Configs that could not be prepared, found one after the other, each time before the batch was planned.
  std::vector<std::vector<policy::RejectionOutcome>> unprepared;
  std::uint64_t plan_digest = 0;
  std::size_t length = 1;  ///< of the plan, in tuning iterations
  Joined joined;
  /// So many of its tuning iterations have to be run again, because only launches tell what has joined. 0:
  /// none.
  std::size_t repeat_length = 0;
  policy::BatchOutcome outcome;
  bool comparing = false;  ///< a paired comparison had begun and was not over
};

/// Return one line of JSON, without a line end.
std::string to_line(const Heading& heading);
std::string to_line(const BatchRecord& record);

/// Returns true if a run with the one heading can go on with the journal of the other.
bool same_run(std::string_view heading, std::string_view other);

/// Returns the `starts` of a heading's line.
std::vector<std::string> starts_of(std::string_view heading);

/// Says in what two headings differ that are not equal as lines.
std::string difference(std::string_view heading, std::string_view other);

/// Returns nothing for what `to_line` has not returned. A line from a JournalFile is whole, so its depth is
/// not checked.
std::optional<BatchRecord> parse_record(std::string_view line);

}  // namespace contextual::journal
