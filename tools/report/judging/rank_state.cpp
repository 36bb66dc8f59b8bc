#include "report/judging/rank_state.hpp"

namespace contextual::log_report {
namespace {

std::string config_at(const ConfigName& config) {
  if (config.problem == nullptr) {
    return {};
  }
  return ", " + name_of(*config.problem) + " config-" + std::to_string(config.id);
}

std::string place(std::string_view phase, std::int64_t iteration) {
  const std::string text(phase);
  return iteration < 0 ? text : text + ", iteration " + std::to_string(iteration);
}

}  // namespace

RankState state_of(const RankRun& run) {
  if (run.blocked) {
    return RankState::blocked;
  }
  if (run.end) {
    return run.end->ok() ? RankState::ok : RankState::failed;
  }
  return RankState::open;
}

std::string position_of(const RankRun& run) {
  if (run.blocked) {
    return place(to_string(run.blocked->phase), run.blocked->tuning_iteration) +
           config_at(run.blocked->config);
  }
  if (run.end) {
    return run.end->phase == RunStage::hello ? "before the first iteration"
                                             : place(enum_text(run.end->phase), run.end->tuning_iteration);
  }
  if (!run.launches.empty()) {
    const Launch& last = run.launches.back();
    return "last logged: " + place(to_string(last.phase), last.tuning_iteration) + config_at(last.config);
  }
  return run.hello ? "in the first iteration" : "before the ranks met";
}

bool region_threw(const RunEnd& end) {
  return end.error_type == "region";
}

std::string error_text(const RunEnd& end) {
  std::string text = region_threw(end) ? "its region threw" : std::string(end.error_type);
  if (!end.error.empty()) {
    text += (text.empty() ? "" : ": ") + std::string(end.error);
  }
  return text.empty() ? "failed without a message" : text;
}

}  // namespace contextual::log_report
