#include "wording.hpp"

#include <algorithm>
#include <tuple>

namespace contextual::log_report {
namespace {

struct SplitConfig {
  std::string names;
  std::string values;
};

/// Names and values of "{A: 1, B: x}"; empty where a value's own commas make that unclear.
SplitConfig split(std::string_view config) {
  SplitConfig parts;
  if (config.size() < 2 || config.front() != '{' || config.back() != '}') {
    return parts;
  }
  config = config.substr(1, config.size() - 2);
  while (!config.empty()) {
    const std::size_t comma = std::min(config.find(", "), config.size());
    const std::string_view pair = config.substr(0, comma);
    const std::size_t colon = pair.find(": ");
    if (colon == std::string_view::npos) {
      return {};
    }
    parts.names += (parts.names.empty() ? "" : ", ") + std::string(pair.substr(0, colon));
    parts.values += (parts.values.empty() ? "" : ", ") + std::string(pair.substr(colon + 2));
    config.remove_prefix(std::min(config.size(), comma + 2));
  }
  return parts;
}

}  // namespace

std::string config_status(const ConfigResult& config) {
  std::string status;
  const auto add = [&](const std::string& word) { status += (status.empty() ? "" : ", ") + word; };
  if (config.chosen) {
    add("chosen");
  }
  if (config.id == 0) {
    add("default");
  }
  if (config.rejected) {
    add("rejected" + (config.rejection.empty() ? "" : ": " + std::string(config.rejection)));
  } else if (config.samples_ns.empty()) {
    add("no samples");
  }
  return status;
}

std::string rank_count_text(const TuningRun& run) {
  const auto found = static_cast<std::int64_t>(run.ranks.size());
  if (found == run.rank_count) {
    return count_text(static_cast<std::uint64_t>(found), "rank");
  }
  return std::to_string(found) + " of " + std::to_string(run.rank_count) + " ranks";
}

std::string region_text(const TuningRun& run) {
  if (!run.several_regions) {
    return std::string(run.region);
  }
  std::vector<std::string_view> regions;
  for (const RankRun* rank : run.ranks) {
    if (std::find(regions.begin(), regions.end(), rank->region) == regions.end() && regions.size() < 4) {
      regions.push_back(rank->region);
    }
  }
  std::string text;
  for (const std::string_view region : regions) {
    text += (text.empty() ? "" : " / ") + std::string(region);
  }
  return text;
}

const char* state_name(RankState state) {
  switch (state) {
    case RankState::ok:
      return "ok";
    case RankState::failed:
      return "failed";
    case RankState::blocked:
      return "blocked";
    case RankState::open:
      break;
  }
  return "no end";
}

std::vector<std::size_t> configs_shown(const ProblemResult& problem, std::size_t limit) {
  std::vector<std::size_t> shown(problem.configs.size());
  for (std::size_t i = 0; i < shown.size(); ++i) {
    shown[i] = i;
  }
  if (shown.size() <= limit) {
    return shown;
  }
  const auto rank_of = [&](std::size_t i) {
    const ConfigResult& config = problem.configs[i];
    const bool first = config.chosen || config.id == 0;
    return std::tuple(first ? 0 : config.samples_ns.empty() ? 2 : 1, config.median_ns, i);
  };
  std::sort(shown.begin(), shown.end(),
            [&](std::size_t a, std::size_t b) { return rank_of(a) < rank_of(b); });
  shown.resize(limit);
  std::sort(shown.begin(), shown.end());
  return shown;
}

std::string contest_title(const Contest& contest) {
  std::string title;
  if (contest.kind == "sets") {
    title = "sets: the choices of the walk and other whole assignments";
  } else if (contest.kind == "verdict") {
    title = "verdict: what was chosen against all defaults";
  } else if (contest.problem != nullptr) {
    title = name_of(*contest.problem) + ", the others fixed";
  } else {
    title = std::string(contest.kind);
  }
  return title + (contest.pass > 0 ? ", pass " + std::to_string(contest.pass) : "");
}

std::string choice_line(const Choice& choice) {
  std::string line = "config-" + std::to_string(choice.config.id) + " " + std::string(choice.config.text);
  if (choice.latency_ns) {
    line += ", " + duration_text(*choice.latency_ns);
  }
  return line +
         (choice.status == "locked_in" || choice.status.empty() ? "" : ", " + std::string(choice.status));
}

std::string relative_to_default(const ProblemResult& problem, const ConfigResult& config) {
  const ConfigResult* standard = problem.find(0);
  if (config.id == 0 || standard == nullptr || standard->median_ns <= 0 || config.samples_ns.empty()) {
    return "";
  }
  const double ratio = config.median_ns / standard->median_ns;
  return ratio < 10 ? percent_text(ratio - 1) : factor_text(ratio);
}

std::string parameter_names(const ProblemResult& problem) {
  std::string common;
  for (const ConfigResult& config : problem.configs) {
    if (config.text.size() > 2) {
      const std::string names = split(config.text).names;
      if (names.empty() || (!common.empty() && common != names)) {
        return "";
      }
      common = names;
    }
  }
  return common;
}

std::string config_values(std::string_view config, const std::string& names) {
  const SplitConfig parts = split(config);
  return names.empty() || parts.names != names ? std::string(config) : parts.values;
}

std::string never_met_text(const TuningRun& run) {
  if (run.met || run.rank_count == 1) {
    return "";
  }
  return run.ranks.size() > 1 ? "These ranks never met: joined by region, number of ranks and start"
                              : "This rank never met the others";
}

}  // namespace contextual::log_report
