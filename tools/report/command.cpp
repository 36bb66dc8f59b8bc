#include "report/command.hpp"

#include "report/format/texts.hpp"
#include "report/format/whole_file.hpp"
#include "report/html/html_report.hpp"
#include "report/judging/report.hpp"
#include "report/reading/logs.hpp"
#include "report/text/text_report.hpp"
#include "report/trace/trace.hpp"

#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace contextual::log_report {
namespace {

void write_trace(const Report& report, const Command& command, std::ostream& out) {
  const RunAnalysis* newest = nullptr;
  std::vector<AlignedTimeline> timelines;
  for (const RunAnalysis* run : report.selected()) {
    if (auto found = aligned_timelines(*run->run); !found.empty()) {
      newest = run;
      timelines = std::move(found);
    }
  }
  if (newest == nullptr) {
    throw std::runtime_error("no timeline in these logs, so no trace was written");
  }
  write_whole(command.trace, trace_text(*newest->run, timelines));
  out << "trace written to " << printable(command.trace.string()) << ": run " << newest->number << ", "
      << newest->run->region << "\n";
  for (const AlignedTimeline& timeline : timelines) {
    out << "  " << timeline_text(timeline) << "\n";
  }
}

}  // namespace

int run_command(const Command& command, std::ostream& out, std::ostream& err) {
  try {
    const Report report = make_report(command.directory, read_directory(command.directory), command.options);
    if (!report.logs.any_readable()) {
      for (const LogFile& file : report.logs.files) {
        err << "contextual-report: " << file.name << ": " << file.problem << "\n";
      }
      err << "contextual-report: no readable rank-N.jsonl in " << report.directory << "\n";
      return exit_no_input;
    }
    out << text_report(report, command.options);
    if (!command.html.empty()) {
      write_whole(command.html, html_report(report, command.options));
      out << "page written to " << printable(command.html.string()) << "\n";
    }
    if (!command.trace.empty()) {
      write_trace(report, command, out);
    }
    if (report.selected().empty() && (!command.options.region.empty() || !command.options.tuning.empty())) {
      return exit_no_input;
    }
    return report.any_bad() ? exit_bad_run : exit_fine;
  } catch (const std::runtime_error& error) {
    err << "contextual-report: " << error.what() << "\n";
    return exit_no_input;
  }
}

}  // namespace contextual::log_report
