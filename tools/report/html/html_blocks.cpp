#include "report/html/html_blocks.hpp"

#include "report/format/quantities.hpp"
#include "report/html/html_text.hpp"

namespace contextual::log_report {

std::string paragraph(const std::string& text, const std::string& attributes) {
  return element("p", escaped(text), attributes) + "\n";
}

std::string folded(const std::string& title, const std::string& content, Fold fold) {
  return element("details", element("summary", escaped(title)) + "\n" + content,
                 fold == Fold::open ? "open" : "") +
         "\n";
}

std::string left_out_note(std::size_t count, const std::string& what) {
  return paragraph(count_text(count, what) + " left out; --whole-table shows them", "class=\"soft\"");
}

}  // namespace contextual::log_report
