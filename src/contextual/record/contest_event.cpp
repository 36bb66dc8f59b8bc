#include "contextual/record/contest_event.hpp"

#include <utility>

namespace contextual::record {
namespace {

ContestKind kind_of(policy::Contest::Kind kind) {
  switch (kind) {
    case policy::Contest::Kind::sets:
      return ContestKind::sets;
    case policy::Contest::Kind::problem:
      return ContestKind::problem;
    case policy::Contest::Kind::verdict:
      break;
  }
  return ContestKind::verdict;
}

std::string entry_name(policy::Contest::Kind kind, std::size_t id) {
  switch (kind) {
    case policy::Contest::Kind::sets:
      return "set-" + std::to_string(id);
    case policy::Contest::Kind::problem:
      return "config-" + std::to_string(id);
    case policy::Contest::Kind::verdict:
      break;
  }
  return id == 0 ? "defaults" : "chosen";
}

}  // namespace

Contest contest_event(const policy::Contest& contest, ProblemName subject) {
  Contest event;
  event.kind = kind_of(contest.kind);
  event.pass = contest.pass;
  event.problem = std::move(subject);
  event.reason = contest.reason;
  for (const policy::Contender& contender : contest.contenders) {
    ContestEntry& entry = event.entries.emplace_back();
    entry.name = entry_name(contest.kind, contender.config_id);
    entry.config_id = static_cast<std::int64_t>(contender.config_id);
    entry.round_count = static_cast<std::int64_t>(contender.makespan.count);
    entry.makespan_ns = contender.makespan.centre_ns;
    entry.spread_ns = contender.makespan.spread_ns;
    entry.gain_ns = contender.gain ? std::optional(contender.gain->centre_ns) : std::nullopt;
    entry.chosen = contender.chosen;
  }
  return event;
}

}  // namespace contextual::record
