#include "report/wording/config_wording.hpp"

#include "report/format/columns.hpp"
#include "report/format/quantities.hpp"
#include "report/format/ranges.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace contextual::log_report {
namespace {

constexpr std::size_t earlier_choices_shown = 5;
constexpr std::size_t text_of_rejection = 300;  ///< a message, which can be endless

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

std::string ratio_text(double ratio) {
  return ratio < 10 ? percent_text(ratio - 1) : factor_text(ratio);
}

/// A choice's own time, and how that compares with the default's.
struct OwnTime {
  std::optional<double> ns{};
  std::string to_default{};
  bool of_walk = false;  ///< where the set was never run as a whole, else both are of the search
};

OwnTime own_time(const ProblemResult& problem, const Choice& choice) {
  if (problem.chosen_ns && &choice == problem.choices.back()) {
    return {problem.chosen_ns,
            problem.defaults_ns ? ratio_text(*problem.chosen_ns / *problem.defaults_ns) : "", false};
  }
  const ConfigResult* config = problem.find(choice.config.id);
  return {choice.latency_ns, config == nullptr ? "" : relative_to_default(problem, *config), true};
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
    add("rejected" + (config.rejection.empty() ? "" : ": " + shorten(config.rejection, text_of_rejection)));
  } else if (config.samples_ns.empty()) {
    add("no samples");
  }
  return status;
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

std::string choice_line(const ProblemResult& problem, const Choice& choice) {
  std::string line = "config-" + std::to_string(choice.config.id) + " " + std::string(choice.config.values);
  const OwnTime own = own_time(problem, choice);
  if (own.ns) {
    line += ", " + duration_text(*own.ns) + (own.of_walk ? " in the walk" : "");
  }
  // Those of the list of configs: the rank of this choice may have launched nothing.
  if (const ConfigResult* const config = problem.find(choice.config.id)) {
    const double faster = own.ns && choice.latency_ns ? *choice.latency_ns / *own.ns : 1;
    if (config->teraflops_per_second) {
      line += ", " + rate_text(*config->teraflops_per_second * faster) + " TFLOP/s";
    }
    if (config->gigabytes_per_second) {
      line += ", " + rate_text(*config->gigabytes_per_second * faster) + " GB/s";
    }
  }
  return choice.status == ChoiceStatus::locked_in ? line
                                                  : line + ", " + std::string(enum_text(choice.status));
}

std::vector<std::string> choice_cells(const ProblemResult& problem) {
  const Choice& last = *problem.choices.back();
  const OwnTime own = own_time(problem, last);
  std::string note = last.status == ChoiceStatus::locked_in ? "" : std::string(enum_text(last.status));
  if (own.ns && own.of_walk) {
    note += (note.empty() ? "" : ", ") + std::string("in the walk");
  }
  return {std::string(problem.name->kernel),
          std::string(problem.name->key),
          std::string(last.config.values),
          own.ns ? duration_text(*own.ns) : "",
          last.config.id == 0 ? "default" : own.to_default,
          std::move(note)};
}

std::string provisional_note(const Choice& choice) {
  return choice.status == ChoiceStatus::provisional
             ? "provisional: used in this region only, and a later run tunes it again"
             : "";
}

std::vector<const Choice*> earlier_choices(const ProblemResult& problem) {
  std::vector<const Choice*> earlier;
  for (std::size_t i = problem.choices.size(); i-- > 1 && earlier.size() < earlier_choices_shown;) {
    earlier.push_back(problem.choices[i - 1]);
  }
  return earlier;
}

std::string not_measured_text(const ProblemResult& problem) {
  return problem.not_measured.empty()
             ? ""
             : "Not measured, because they were left out or the run ended before: config " +
                   ranges_text(problem.not_measured);
}

std::string relative_to_default(const ProblemResult& problem, const ConfigResult& config) {
  const ConfigResult* standard = problem.find(0);
  if (config.id == 0 || standard == nullptr || standard->median_ns <= 0 || config.samples_ns.empty()) {
    return "";
  }
  return ratio_text(config.median_ns / standard->median_ns);
}

KnownRates rates_known(const ProblemResult& problem) {
  KnownRates known;
  for (const ConfigResult& config : problem.configs) {
    known.teraflops_per_second = known.teraflops_per_second || config.teraflops_per_second;
    known.gigabytes_per_second = known.gigabytes_per_second || config.gigabytes_per_second;
  }
  return known;
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

}  // namespace contextual::log_report
