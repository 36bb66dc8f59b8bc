#include "report/text/text_report.hpp"

#include "report/text/text_writer.hpp"
#include "report/wording/sections.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace contextual::log_report {

std::size_t text_width(const char* columns, std::optional<std::size_t> terminal) {
  const std::string_view text = columns == nullptr ? "" : columns;
  std::size_t width = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
  if (error != std::errc{} || end != text.data() + text.size() || width == 0) {
    width = terminal.value_or(100);
  }
  return std::clamp<std::size_t>(width, narrowest_text, widest_text);
}

std::string text_report(const Report& report, const ReportOptions& options) {
  TextWriter out(options);
  write_report(out, report, options);
  return out.take();
}

}  // namespace contextual::log_report
