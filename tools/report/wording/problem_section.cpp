#include "report/wording/sections.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

namespace contextual::log_report {
namespace {

constexpr std::size_t earlier_choices_shown = 5;

struct Rate {
  const char* unit;
  std::optional<double> ConfigResult::*member;
};

constexpr std::array<Rate, 2> rates{
    {{"TFLOP/s", &ConfigResult::teraflops_per_second}, {"GB/s", &ConfigResult::gigabytes_per_second}}};

/// How the median differs from the default's, e.g. "+12.5 %", or "" if either is unknown.
/// "+12.5 %", or "36.94 x" from ten times on.
std::string ratio_text(double ratio) {
  return ratio < 10 ? percent_text(ratio - 1) : rate_text(ratio) + " x";
}

std::string relative_to_default(const ProblemResult& problem, const ConfigResult& config) {
  const ConfigResult* standard = problem.find(0);
  if (config.id == 0 || standard == nullptr || standard->median_ns <= 0 || config.samples_ns.empty()) {
    return "";
  }
  return ratio_text(config.median_ns / standard->median_ns);
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

/// Rates at the own time of the choice, by those of the list of configs: the rank of this choice may have
/// launched nothing.
std::string rates_of(const ProblemResult& problem, const Choice& choice, const OwnTime& own) {
  const ConfigResult* const config = problem.find(choice.config.id);
  if (config == nullptr) {
    return "";
  }
  const double faster = own.ns && choice.latency_ns ? *choice.latency_ns / *own.ns : 1;
  std::string text;
  for (const Rate& rate : rates) {
    if (const std::optional<double> of_walk = config->*rate.member) {
      text += (text.empty() ? "" : ", ") + rate_text(*of_walk * faster) + " " + rate.unit;
    }
  }
  return text;
}

/// E.g. "config-2 {BLOCK_N: 128}, 12.3 us, 680 TFLOP/s".
std::string choice_line(const ProblemResult& problem, const Choice& choice) {
  std::vector<std::string> cells = choice_cells(problem, choice);
  for (const std::size_t said_nearby : {0, 1, 4}) {  // kernel and key in the heading, and the comparison
    cells[said_nearby].clear();
  }
  return "config-" + std::to_string(choice.config.id) + " " + joined(cells, ", ", std::identity());
}

/// The names of a problem's parameters, if all its configs have the same; else empty.
std::string_view parameter_names(const ProblemResult& problem) {
  std::string_view common;
  for (const ConfigResult& config : problem.configs) {
    if (!common.empty() && !config.text.names.empty() && config.text.names != common) {
      return "";
    }
    common = config.text.names.empty() ? common : config.text.names;
  }
  return common;
}

/// `names`, which a reader has seen, stand in no row.
Table config_table(const ProblemResult& problem, std::string_view names, std::size_t limit) {
  std::vector<Rate> known(rates.begin(), rates.end());
  std::erase_if(known, [&](const Rate& rate) {
    return std::none_of(problem.configs.begin(), problem.configs.end(),
                        [&](const ConfigResult& config) { return bool{config.*rate.member}; });
  });
  Table table{
      {{"in the walk"}, {"own time", Align::right}, {"spread", Align::right}, {"to default", Align::right}}};
  for (const Rate& rate : known) {
    table.columns.push_back({rate.unit, Align::right});
  }
  table.columns.insert(table.columns.end(), {{"samples", Align::right, Room::minor},
                                             {"region's time", Align::right, Room::minor},
                                             {"values", Align::left, Room::gives_way},
                                             {"status", Align::left, Room::gives_way}});
  for (const std::size_t i : configs_shown(problem, limit)) {
    const ConfigResult& config = problem.configs[i];
    const bool sampled = !config.samples_ns.empty();
    std::vector<std::string> cells{
        "config-" + std::to_string(config.id), sampled ? duration_text(config.median_ns) : "",
        sampled ? "+- " + duration_text(config.spread_ns) : "", relative_to_default(problem, config)};
    for (const Rate& rate : known) {
      cells.push_back(rate_text(config.*rate.member));
    }
    cells.push_back(std::to_string(config.samples_ns.size()));
    cells.push_back(config.makespan_ns > 0 ? duration_text(config.makespan_ns) : "");
    cells.emplace_back(!names.empty() && config.text.names == names ? config.text.values : config.text.all);
    cells.push_back(config_status(config));
    table.add(std::move(cells), config.chosen ? Tone::good : config.rejected ? Tone::dim : Tone::none);
  }
  return table;
}

void write_choice(Writer& out, const ProblemResult& problem) {
  if (problem.choices.empty()) {
    out.paragraph("", "no choice was made", Tone::bad);
    return;
  }
  const Choice& last = *problem.choices.back();
  out.paragraph("chosen", choice_line(problem, last), Tone::good);
  if (last.status == ChoiceStatus::provisional) {
    out.paragraph("", "provisional: used in this region only, and a later run tunes it again", Tone::bad);
  }
  out.paragraph("why", message_text(last.reason));
  if (last.walk_ns > 0) {
    out.paragraph("time", "its walk took " + duration_text(last.walk_ns));
  }
  const std::size_t count = problem.choices.size();
  for (std::size_t i = count - 1; i > count - std::min(count, earlier_choices_shown + 1); --i) {
    const Choice& before = *problem.choices[i - 1];
    out.paragraph("before", choice_line(problem, before) + ": " + message_text(before.reason), Tone::dim);
  }
}

}  // namespace

std::string config_label(const ConfigResult& config) {
  return config.text.all.size() <= 2 ? "config-" + std::to_string(config.id) : std::string(config.text.all);
}

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
    add("rejected" + (config.rejection.empty() ? "" : ": " + message_text(config.rejection)));
  } else if (config.samples_ns.empty()) {
    add("no samples");
  }
  return status;
}

std::vector<std::size_t> configs_shown(const ProblemResult& problem, std::size_t limit) {
  std::vector<std::size_t> shown(problem.configs.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
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

std::vector<std::string> choice_cells(const ProblemResult& problem, const Choice& choice) {
  const OwnTime own = own_time(problem, choice);
  return {std::string(problem.name->kernel),
          std::string(problem.name->key),
          std::string(choice.config.values.all),
          own.ns ? duration_text(*own.ns) : "",
          choice.config.id == 0 ? "default" : own.to_default,
          rates_of(problem, choice, own),
          own.ns && own.of_walk ? "in the walk" : "",
          choice.status == ChoiceStatus::locked_in ? "" : std::string(enum_text(choice.status))};
}

void write_problem(Writer& out, const ProblemResult& problem, const std::string& label) {
  out.heading(label + name_of(*problem.name));
  write_choice(out, problem);
  out.plot_configs(problem);
  const std::string_view names = parameter_names(problem);
  if (!names.empty()) {
    out.paragraph("values", std::string(names), Tone::dim);
  }
  const Table table = config_table(problem, names, out.limits().configs);
  out.table(table, "Walk: all configs");
  note_left_out(out, problem.configs.size() - table.rows.size(), "slower config");
  if (!problem.not_measured.empty()) {
    out.paragraph("", "Not measured, because they were left out or the run ended before: config " +
                          ranges_text(problem.not_measured));
  }
}

}  // namespace contextual::log_report
