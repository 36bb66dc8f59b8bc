#include "report/format/quantities.hpp"
#include "report/wording/config_wording.hpp"
#include "report/wording/run_wording.hpp"
#include "report/wording/sections.hpp"

namespace contextual::log_report {
namespace {

Table config_table(const ProblemResult& problem, const std::string& names, std::size_t limit) {
  const KnownRates rates = rates_known(problem);
  Table table{{{"in the walk"}, {"own time", Align::right}, {"spread", Align::right}}};
  const auto add_column_if = [&](bool is_known, const char* title) {
    if (is_known) {
      table.columns.push_back({title, Align::right});
    }
  };
  add_column_if(true, "to default");
  add_column_if(rates.teraflops_per_second, "TFLOP/s");
  add_column_if(rates.gigabytes_per_second, "GB/s");
  table.columns.insert(table.columns.end(), {{"samples", Align::right, Room::minor},
                                             {"region's time", Align::right, Room::minor},
                                             {"values", Align::left, Room::gives_way},
                                             {"status", Align::left, Room::gives_way}});
  for (const std::size_t i : configs_shown(problem, limit)) {
    const ConfigResult& config = problem.configs[i];
    const bool sampled = !config.samples_ns.empty();
    std::vector<std::string> cells{"config-" + std::to_string(config.id),
                                   sampled ? duration_text(config.median_ns) : "",
                                   sampled ? "+- " + duration_text(config.spread_ns) : ""};
    const auto add_cell_if = [&](bool is_known, const std::string& cell) {
      if (is_known) {
        cells.push_back(cell);
      }
    };
    add_cell_if(true, relative_to_default(problem, config));
    add_cell_if(rates.teraflops_per_second, rate_text(config.teraflops_per_second));
    add_cell_if(rates.gigabytes_per_second, rate_text(config.gigabytes_per_second));
    cells.push_back(std::to_string(config.samples_ns.size()));
    cells.push_back(config.makespan_ns > 0 ? duration_text(config.makespan_ns) : "");
    cells.push_back(config_values(config.text, names));
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
  if (const std::string note = provisional_note(last); !note.empty()) {
    out.paragraph("", note, Tone::bad);
  }
  out.paragraph("why", message_text(last.reason));
  if (last.walk_ns > 0) {
    out.paragraph("time", "its walk took " + duration_text(static_cast<double>(last.walk_ns)));
  }
  for (const Choice* before : earlier_choices(problem)) {
    out.paragraph("before", choice_line(problem, *before) + ": " + message_text(before->reason), Tone::dim);
  }
}

}  // namespace

void write_problem(Writer& out, const ProblemResult& problem, const std::string& label) {
  out.heading(label + name_of(*problem.name));
  write_choice(out, problem);
  out.plot(problem);
  const std::string names = parameter_names(problem);
  if (!names.empty()) {
    out.paragraph("values", names, Tone::dim);
  }
  const Table table = config_table(problem, names, out.limits().configs);
  out.table(table, "Walk: all configs");
  note_left_out(out, problem.configs.size() - table.rows.size(), "slower config");
  if (const std::string text = not_measured_text(problem); !text.empty()) {
    out.paragraph("", text);
  }
}

}  // namespace contextual::log_report
