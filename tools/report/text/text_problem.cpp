#include "report/format/quantities.hpp"
#include "report/text/text_sections.hpp"
#include "report/wording/config_wording.hpp"

namespace contextual::log_report {
namespace {

constexpr std::size_t configs_in_text = 40;
constexpr std::size_t wide = 100;  ///< columns from which on there is room for the less important ones

Colour colour_of(const ConfigResult& config) {
  return config.chosen ? Colour::good : config.rejected ? Colour::dim : Colour::none;
}

/// The table of a problem's configs in the walk.
class ConfigTable {
 public:
  ConfigTable(const ProblemResult& problem, std::size_t width)
      : problem_(problem),
        names_(parameter_names(problem)),
        has_centres_(centres_differ(problem)),
        rates_(rates_known(problem)),
        is_wide_(width >= wide) {}

  TextTable table(const ReportOptions& options) const {
    TextTable table(columns(), 2);
    for (const std::size_t i : configs_shown(problem_, options.limit(configs_in_text))) {
      table.add(cells(problem_.configs[i]), colour_of(problem_.configs[i]));
    }
    return table;
  }

  const std::string& names() const { return names_; }

 private:
  std::vector<Column> columns() const {
    std::vector<Column> columns{{"in the walk"}, {"own time", Align::right}, {"spread", Align::right}};
    if (has_centres_) {
      columns.push_back({"centre", Align::right});
    }
    columns.push_back({"to default", Align::right});
    if (rates_.teraflops_per_second) {
      columns.push_back({"TFLOP/s", Align::right});
    }
    if (rates_.gigabytes_per_second) {
      columns.push_back({"GB/s", Align::right});
    }
    if (is_wide_) {
      columns.insert(columns.end(), {{"samples", Align::right}, {"region's time", Align::right}});
    }
    columns.insert(columns.end(), {{"values", Align::left, 12}, {"status", Align::left, 16}});
    return columns;
  }

  std::vector<std::string> cells(const ConfigResult& config) const {
    const bool sampled = !config.samples_ns.empty();
    std::vector<std::string> cells{"config-" + std::to_string(config.id),
                                   sampled ? duration_text(config.median_ns) : "",
                                   sampled ? "+- " + duration_text(config.spread_ns) : ""};
    if (has_centres_) {
      cells.push_back(config.summary_ns ? duration_text(*config.summary_ns) : "");
    }
    cells.push_back(relative_to_default(problem_, config));
    if (rates_.teraflops_per_second) {
      cells.push_back(rate_text(config.teraflops_per_second));
    }
    if (rates_.gigabytes_per_second) {
      cells.push_back(rate_text(config.gigabytes_per_second));
    }
    if (is_wide_) {
      cells.push_back(std::to_string(config.samples_ns.size()));
      cells.push_back(config.makespan_ns > 0 ? duration_text(config.makespan_ns) : "");
    }
    cells.push_back(config_values(config.text, names_));
    cells.push_back(config_status(config));
    return cells;
  }

  const ProblemResult& problem_;
  std::string names_;
  bool has_centres_;
  KnownRates rates_;
  bool is_wide_;
};

void write_choice(TextWriter& out, const ProblemResult& problem) {
  if (problem.choices.empty()) {
    out.line("  no choice was made", Colour::bad);
    return;
  }
  const Choice& last = *problem.choices.back();
  out.paragraph("  chosen: ", choice_line(problem, last), Colour::good, 3);
  if (const std::string note = provisional_note(last); !note.empty()) {
    out.paragraph("          ", note, Colour::bad, 3);
  }
  out.paragraph("     why: ", std::string(last.reason), Colour::none, 4);
  if (last.walk_ns > 0) {
    out.line("    time: its walk took " + duration_text(static_cast<double>(last.walk_ns)));
  }
  for (const Choice* before : earlier_choices(problem)) {
    out.paragraph("  before: ", choice_line(problem, *before) + ": " + std::string(before->reason),
                  Colour::dim, 3);
  }
}

void write_configs(TextWriter& out, const ProblemResult& problem, const ReportOptions& options) {
  const ConfigTable configs(problem, out.width());
  if (!configs.names().empty()) {
    out.paragraph("  values: ", configs.names(), Colour::dim, 3);
  }
  if (const TextTable table = configs.table(options); !table.empty()) {
    out.table(table, 2);
  }
  if (const std::size_t all = problem.configs.size(); all > options.limit(configs_in_text)) {
    out.line("  " + count_text(all - configs_in_text, "slower config") +
             " left out; --whole-table shows them");
  }
  if (const std::string text = not_measured_text(problem); !text.empty()) {
    out.paragraph("  ", text);
  }
}

}  // namespace

void write_problem(TextWriter& out, const ProblemResult& problem, const std::string& label,
                   const ReportOptions& options) {
  out.heading(label + name_of(*problem.name));
  write_choice(out, problem);
  write_configs(out, problem, options);
}

}  // namespace contextual::log_report
