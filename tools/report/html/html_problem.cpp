#include "report/format/columns.hpp"
#include "report/format/quantities.hpp"
#include "report/html/html_blocks.hpp"
#include "report/html/html_sections.hpp"
#include "report/html/html_table.hpp"
#include "report/html/html_text.hpp"
#include "report/html/plots.hpp"
#include "report/wording/config_wording.hpp"

namespace contextual::log_report {
namespace {

constexpr std::size_t configs_on_page = 500;
constexpr std::size_t text_in_cell = 300;

/// The configs in the walk. Where the tuner's own statistic is not the median it is a column more.
HtmlTable config_table(const ProblemResult& problem, const ReportOptions& options) {
  const std::string names = parameter_names(problem);
  const bool with_centres = centres_differ(problem);
  std::vector<HtmlTable::Heading> headings{{"Config"},
                                           {names.empty() ? "Values" : shorten(names, 60)},
                                           {"Own time", Cells::number},
                                           {"Spread", Cells::number},
                                           {"To default", Cells::number},
                                           {"Status"},
                                           {"Samples", Cells::number},
                                           {"Region's time", Cells::number}};
  const KnownRates rates = rates_known(problem);
  if (rates.teraflops_per_second) {
    headings.push_back({"TFLOP/s", Cells::number});
  }
  if (rates.gigabytes_per_second) {
    headings.push_back({"GB/s", Cells::number});
  }
  if (with_centres) {
    headings.push_back({"Centre", Cells::number});
  }
  HtmlTable table(std::move(headings));
  for (const std::size_t i : configs_shown(problem, options.limit(configs_on_page))) {
    const ConfigResult& config = problem.configs[i];
    const bool sampled = !config.samples_ns.empty();
    std::vector<std::string> cells{"config-" + std::to_string(config.id),
                                   shorten(config_values(config.text, names), text_in_cell),
                                   sampled ? duration_text(config.median_ns) : "",
                                   sampled ? "\u00b1 " + duration_text(config.spread_ns) : "",
                                   relative_to_default(problem, config),
                                   shorten(config_status(config), text_in_cell),
                                   std::to_string(config.samples_ns.size()),
                                   config.makespan_ns > 0 ? duration_text(config.makespan_ns) : ""};
    if (rates.teraflops_per_second) {
      cells.push_back(rate_text(config.teraflops_per_second));
    }
    if (rates.gigabytes_per_second) {
      cells.push_back(rate_text(config.gigabytes_per_second));
    }
    if (with_centres) {
      cells.push_back(config.summary_ns ? duration_text(*config.summary_ns) : "");
    }
    table.add(std::move(cells), config.chosen ? "chosen" : "");
  }
  return table;
}

std::string configs_markup(const ProblemResult& problem, const ReportOptions& options) {
  const HtmlTable table = config_table(problem, options);
  std::string markup = table.empty() ? "" : table.markup();
  if (problem.configs.size() > options.limit(configs_on_page)) {
    markup += left_out_note(problem.configs.size() - configs_on_page, "slower config");
  }
  if (const std::string text = not_measured_text(problem); !text.empty()) {
    markup += paragraph(text, "class=\"soft\"");
  }
  return markup;
}

std::string choice_markup(const ProblemResult& problem) {
  if (problem.choices.empty()) {
    return paragraph("No choice was made.");
  }
  const Choice& last = *problem.choices.back();
  std::string markup =
      element("p", element("strong", "Chosen: " + escaped(choice_line(problem, last)))) + "\n";
  if (const std::string note = provisional_note(last); !note.empty()) {
    markup += element("div", paragraph(note), "class=\"alarm\"") + "\n";
  }
  markup += paragraph("Why: " + std::string(last.reason));
  for (const Choice* before : earlier_choices(problem)) {
    markup += paragraph("Before: " + choice_line(problem, *before) + ": " + std::string(before->reason),
                        "class=\"soft\"");
  }
  return markup;
}

}  // namespace

std::string problem_markup(const ProblemResult& problem, const std::string& label,
                           const ReportOptions& options) {
  std::string markup = element("h3", escaped(label + name_of(*problem.name))) + "\n" + choice_markup(problem);
  markup += config_plot(problem);
  markup += folded("Walk: all configs", configs_markup(problem, options), Fold::closed);
  return element("div", markup, "class=\"problem\"") + "\n";
}

}  // namespace contextual::log_report
