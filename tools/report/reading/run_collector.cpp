#include "report/reading/run_collector.hpp"

#include "report/reading/decode.hpp"

#include <utility>
#include <variant>

namespace contextual::log_report {
namespace {

void keep(RankRun& run, RunStart&& event) {
  run.start = event;
}
void keep(RankRun& run, Hello&& event) {
  run.hello = event;
}
void keep(RankRun& run, DeviceConditions&& event) {
  run.conditions.push_back(event);
}
void keep(RankRun& run, Launch&& event) {
  run.launches.push_back(event);
}
void keep(RankRun& run, ConfigSummary&& event) {
  run.summaries.push_back(event);
}
void keep(RankRun& run, Rejected&& event) {
  run.rejected.push_back(event);
}
void keep(RankRun& run, Choice&& event) {
  run.choices.push_back(event);
}
void keep(RankRun& run, SearchResult&& event) {
  run.searches.push_back(std::move(event));
}
void keep(RankRun& run, Timeline&& event) {
  run.timelines.push_back(std::move(event));
}
void keep(RankRun& run, Limit&& event) {
  run.limit = std::move(event);
}
void keep(RankRun& run, Warning&& event) {
  run.warnings.push_back(event.text);
  run.blocked.reset();
}
void keep(RankRun& run, Progress&& event) {
  run.progress = event;
}
void keep(RankRun& run, Blocked&& event) {
  run.blocked = event;
}
void keep(RankRun& run, RunEnd&& event) {
  run.end = std::move(event);
  run.blocked.reset();
}

}  // namespace

void RunCollector::add(Event event, std::size_t line) {
  RankRun& run = run_of(event);
  if (event.rank != run.rank || event.region != run.region) {
    throw DamagedLine("rank or region differ from those of the same run before");
  }
  run.last_line = line;
  run.first_line = run.first_line == 0 ? line : run.first_line;
  std::visit([&](auto& body) { keep(run, std::move(body)); }, event.body);
}

RankRun& RunCollector::run_of(const Event& event) {
  const auto [found, is_new] = open_.try_emplace(event.run_id, nullptr);
  // Process ids repeat, and with them run ids: a second start is another run.
  const bool starts_again =
      !is_new && std::holds_alternative<RunStart>(event.body) && found->second->start.has_value();
  if (is_new || starts_again) {
    found->second = &logs_->runs.emplace_back();
    found->second->file = file_;
    found->second->run_id = event.run_id;
    found->second->rank = event.rank;
    found->second->region = event.region;
  }
  return *found->second;
}

}  // namespace contextual::log_report
