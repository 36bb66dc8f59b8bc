#include "report/command.hpp"

#include "report/format/printable.hpp"
#include "report/html/html_report.hpp"
#include "report/judging/report.hpp"
#include "report/reading/log_reader.hpp"
#include "report/text/text_report.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <ostream>
#include <stdexcept>

namespace contextual::log_report {
namespace {

void write_page(const Report& report, const Command& command) {
  errno = 0;
  std::ofstream file(command.html, std::ios::binary | std::ios::trunc);
  file << html_report(report, command.options);
  file.close();
  if (!file) {
    throw std::runtime_error("cannot write " + printable(command.html.string()) +
                             (errno != 0 ? std::string(": ") + std::strerror(errno) : std::string()));
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
      write_page(report, command);
      out << "page written to " << printable(command.html.string()) << "\n";
    }
    if (!report.any_selected() && (!command.options.region.empty() || !command.options.tuning.empty())) {
      return exit_no_input;
    }
    return report.any_bad() ? exit_bad_run : exit_fine;
  } catch (const std::runtime_error& error) {
    err << "contextual-report: " << error.what() << "\n";
    return exit_no_input;
  }
}

}  // namespace contextual::log_report
