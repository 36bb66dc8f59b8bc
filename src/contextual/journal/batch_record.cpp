#include "contextual/journal/batch_record.hpp"

#include <nlohmann/json.hpp>

#include <exception>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace contextual::journal {
namespace {

using nlohmann::json;

constexpr std::size_t longest_batch = 1'000'000;  ///< as n_warmup and n_repeat

std::string line_of(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// A number that is no whole one, or a negative one where there is none, is not what was written.
template <typename T>
T whole(const json& number) {
  if (!(std::is_unsigned_v<T> ? number.is_number_unsigned() : number.is_number_integer())) {
    throw std::runtime_error("not a whole number");
  }
  return number.get<T>();
}

json time_json(const std::optional<std::int64_t>& time_ns) {
  return time_ns ? json(*time_ns) : json();
}

std::optional<std::int64_t> time_of(const json& time) {
  return time.is_null() ? std::nullopt : std::optional<std::int64_t>(whole<std::int64_t>(time));
}

json rejections_json(const std::vector<policy::RejectionOutcome>& rejections) {
  json list = json::array();
  for (const policy::RejectionOutcome& rejection : rejections) {
    list.push_back({rejection.problem, rejection.config_id, rejection.batch_iteration, rejection.reason,
                    rejection.left_out, rejection.ranks});
  }
  return list;
}

std::vector<int> ranks_of(const json& list) {
  std::vector<int> ranks;
  for (const json& rank : list) {
    ranks.push_back(whole<int>(rank));
  }
  return ranks;
}

std::vector<policy::RejectionOutcome> rejections_of(const json& list) {
  std::vector<policy::RejectionOutcome> rejections;
  for (const json& item : list) {
    rejections.push_back({whole<std::size_t>(item.at(0)), whole<std::size_t>(item.at(1)),
                          whole<std::size_t>(item.at(2)), item.at(3).get<std::string>(),
                          item.at(4).get<bool>(), ranks_of(item.at(5))});
  }
  return rejections;
}

/// The words of a cell: whether it was launched, was disturbed, overlapped, was not timed; its time; whether
/// other work may lie between launches.
json cell_json(const policy::CellOutcome& cell) {
  return {cell.launched, cell.disturbed,          cell.overlaps,
          cell.untimed,  time_json(cell.time_ns), cell.only_launches};
}

policy::CellOutcome cell_of(const json& cell) {
  policy::CellOutcome outcome;
  outcome.launched = cell.at(0).get<bool>();
  outcome.disturbed = cell.at(1).get<bool>();
  outcome.overlaps = cell.at(2).get<bool>();
  outcome.untimed = cell.at(3).get<bool>();
  outcome.time_ns = time_of(cell.at(4));
  outcome.only_launches = cell.at(5).get<bool>();
  return outcome;
}

json iteration_json(const policy::IterationOutcome& iteration) {
  json cells = json::array();
  for (const policy::CellOutcome& cell : iteration.cells) {
    cells.push_back(cell_json(cell));
  }
  return {{"makespan_ns", time_json(iteration.makespan_ns)},
          {"infeasible", iteration.infeasible},
          {"cells", std::move(cells)}};
}

policy::IterationOutcome iteration_of(const json& described) {
  policy::IterationOutcome iteration;
  iteration.makespan_ns = time_of(described.at("makespan_ns"));
  iteration.infeasible = described.at("infeasible").get<std::string>();
  for (const json& cell : described.at("cells")) {
    iteration.cells.push_back(cell_of(cell));
  }
  return iteration;
}

BatchRecord record_of(const json& line) {
  BatchRecord record;
  record.batch = whole<std::uint64_t>(line.at("batch"));
  for (const json& found : line.at("unprepared")) {
    record.unprepared.push_back(rejections_of(found));
  }
  record.plan_digest = whole<std::uint64_t>(line.at("plan"));
  record.length = whole<std::size_t>(line.at("length"));
  record.joined = {whole<std::size_t>(line.at("joined").at("count")),
                   whole<std::uint64_t>(line.at("joined").at("digest")),
                   line.at("joined").at("names").get<std::string>()};
  record.repeat_length = whole<std::size_t>(line.at("repeat_length"));
  for (const json& iteration : line.at("iterations")) {
    record.outcome.iterations.push_back(iteration_of(iteration));
  }
  record.outcome.rejections = rejections_of(line.at("rejections"));
  record.outcome.elapsed_ns = whole<std::int64_t>(line.at("elapsed_ns"));
  record.comparing = line.at("comparing").get<bool>();
  return record;
}

bool makes_sense(const BatchRecord& record) {
  return record.batch >= 1 && record.length >= 1 && record.length <= longest_batch &&
         record.repeat_length <= record.length && record.outcome.iterations.size() <= record.length &&
         record.outcome.elapsed_ns >= 0;
}

}  // namespace

std::string to_line(const Heading& heading) {
  return line_of({{"format", format_version},
                  {"region", heading.region},
                  {"options", heading.options},
                  {"machines", heading.machines},
                  {"kernels", heading.kernels},
                  {"starts", heading.starts}});
}

std::string to_line(const BatchRecord& record) {
  json unprepared = json::array();
  for (const auto& found : record.unprepared) {
    unprepared.push_back(rejections_json(found));
  }
  json iterations = json::array();
  for (const policy::IterationOutcome& iteration : record.outcome.iterations) {
    iterations.push_back(iteration_json(iteration));
  }
  return line_of(
      {{"batch", record.batch},
       {"unprepared", std::move(unprepared)},
       {"plan", record.plan_digest},
       {"length", record.length},
       {"joined",
        {{"count", record.joined.count}, {"digest", record.joined.digest}, {"names", record.joined.names}}},
       {"repeat_length", record.repeat_length},
       {"iterations", std::move(iterations)},
       {"rejections", rejections_json(record.outcome.rejections)},
       {"elapsed_ns", record.outcome.elapsed_ns},
       {"comparing", record.comparing}});
}

namespace {

json without_starts(std::string_view heading) {
  json parsed = json::parse(heading, nullptr, false);
  if (parsed.is_object()) {
    parsed.erase("starts");
  }
  return parsed;
}

}  // namespace

bool same_run(std::string_view heading, std::string_view other) {
  const json one = without_starts(heading);
  return one.is_object() && one == without_starts(other);
}

std::vector<std::string> starts_of(std::string_view heading) {
  const json parsed = json::parse(heading, nullptr, false);
  std::vector<std::string> starts;
  if (parsed.is_object() && parsed.contains("starts") && parsed.at("starts").is_array()) {
    for (const json& start : parsed.at("starts")) {
      starts.push_back(start.is_string() ? start.get<std::string>() : std::string());
    }
  }
  return starts;
}

std::string difference(std::string_view heading, std::string_view other) {
  const json one = without_starts(heading);
  const json two = without_starts(other);
  if (!one.is_object() || !two.is_object()) {
    return "its heading cannot be read";
  }
  std::string names;
  for (const auto& [name, value] : one.items()) {
    if (!two.contains(name) || two.at(name) != value) {
      names += (names.empty() ? "" : ", ") + name;
    }
  }
  return names.empty() ? "its heading has more" : "it was begun with other " + names;
}

std::optional<BatchRecord> parse_record(std::string_view line) {
  try {
    BatchRecord record = record_of(json::parse(line));
    return makes_sense(record) ? std::optional(std::move(record)) : std::nullopt;
  } catch (const std::exception&) {  // nlohmann's are of many kinds
    return std::nullopt;
  }
}

}  // namespace contextual::journal
