#include "contextual/journal/history.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

using nlohmann::json;

/// A time that is missing is null.
template <>
struct nlohmann::adl_serializer<std::optional<std::int64_t>> {
  static void to_json(json& to, const std::optional<std::int64_t>& time) { to = time ? json(*time) : json(); }
  static void from_json(const json& from, std::optional<std::int64_t>& time) {
    time = from.is_null() ? std::nullopt : std::optional(from.get<std::int64_t>());
  }
};

namespace contextual::policy {

// What is written is a list of these.

template <typename T, typename Of>
concept Either = std::same_as<std::remove_const_t<T>, Of>;  // const or not

auto fields(Either<CellOutcome> auto& of) {
  return std::tie(of.launched, of.disturbed, of.overlaps, of.untimed, of.time_ns, of.only_launches);
}

auto fields(Either<IterationOutcome> auto& of) {
  return std::tie(of.makespan_ns, of.infeasible, of.cells);
}

auto fields(Either<RejectionOutcome> auto& of) {
  return std::tie(of.problem, of.config_id, of.batch_iteration, of.reason, of.left_out, of.ranks);
}

auto fields(Either<journal::BatchRecord> auto& of) {
  return std::tie(of.number, of.plan_digest, of.length, of.joined, of.unprepared, of.outcome.iterations,
                  of.outcome.rejections, of.outcome.elapsed_ns, of.comparing);
}

void to_json(json& to, const auto& of) requires requires {
  fields(of);
}
{
  std::apply([&to](const auto&... field) { to = json::array({field...}); }, fields(of));
}

void from_json(const json& from, auto& of) requires requires {
  fields(of);
}
{
  std::size_t at = 0;
  std::apply([&](auto&... field) { (from.at(at++).get_to(field), ...); }, fields(of));
}

}  // namespace contextual::policy

namespace contextual::journal {
namespace {

constexpr std::array event_names{"begins", "heading", "runs", "back", "called_off", "quarantine"};

std::string line_of(const char* name, const json& value) {
  return json{{name, value}}.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// A run begins, or goes on with the one that was cut off. The latter keeps the sets that it began with.
void take_in_heading(const std::vector<std::string>& texts, History& history) {
  if (history.batches.empty() || history.heading != texts.front()) {
    history.heading = texts.front();
    history.starts.assign(texts.begin() + 1, texts.end());
    history.batches.clear();
  }
}

/// Takes the place of all batches from its number on: the run did not come to those, or measured them again.
void take_in_batch(const json& value, std::vector<BatchRecord>& batches) {
  BatchRecord record;
  policy::from_json(value, record);
  if (record.number <= batches.size() + 1) {
    batches.resize(static_cast<std::size_t>(record.number - 1));
    batches.push_back(std::move(record));
  }
}

/// Samples of an open comparison can only be compared with those of the same process.
void leave_out_open_comparison(std::vector<BatchRecord>& batches) {
  while (!batches.empty() && batches.back().comparing) {
    batches.pop_back();
  }
}

}  // namespace

std::string line_of(Event event, const std::vector<std::string>& texts) {
  return line_of(event_names.at(static_cast<std::size_t>(event)), texts);
}

std::string line_of(const BatchRecord& record) {
  json value;
  policy::to_json(value, record);
  return line_of("batch", value);
}

void History::take_in(std::string_view line) {
  const json parsed = json::parse(line);
  const std::string& name = parsed.begin().key();
  const json& value = parsed.front();
  if (name == "batch") {
    quarantine.came_back();
    take_in_batch(value, batches);
    return;
  }
  const auto texts = value.get<std::vector<std::string>>();
  switch (static_cast<Event>(std::find(event_names.begin(), event_names.end(), name) - event_names.begin())) {
    case Event::begins:
      quarantine.begin(texts.front());
      leave_out_open_comparison(batches);
      break;
    case Event::heading:
      take_in_heading(texts, *this);
      break;
    case Event::runs:
      quarantine.about_to_run(texts);
      break;
    case Event::back:
      quarantine.came_back();
      break;
    case Event::called_off:
      quarantine.did_not_run();
      break;
    case Event::quarantine:
      quarantine.restore(texts);
      break;
  }
}

}  // namespace contextual::journal
