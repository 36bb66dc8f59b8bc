#include "report/html/html_report.hpp"

#include "report/html/html_text.hpp"
#include "report/html/html_writer.hpp"
#include "report/html/page_style.hpp"
#include "report/wording/sections.hpp"

namespace contextual::log_report {

std::string html_report(const Report& report, const ReportOptions& options) {
  const std::string title = escaped("Tuning report: " + report.directory);
  HtmlWriter out(options);
  write_report(out, report, options);
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<link rel=\"icon\" href=\"data:,\">\n" +
         element("title", title) + "\n" + element("style", page_style) + "\n</head>\n<body>\n" +
         element("main", "\n" + element("h1", title) + "\n" + out.take()) + "\n</body>\n</html>\n";
}

}  // namespace contextual::log_report
