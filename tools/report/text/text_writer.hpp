#pragma once

/// \file
/// Lines of a text report, wrapped to its width.

#include "report/format/columns.hpp"
#include "report/text/text_table.hpp"

#include <string>
#include <utility>

namespace contextual::log_report {

/// Collects lines, which `take` returns.
class TextWriter {
 public:
  TextWriter(std::size_t width, bool colour) : width_(width), colour_(colour) {}

  std::size_t width() const { return width_; }

  void blank() { out_ += "\n"; }

  /// Adds a line, or several where one would be wider than the width.
  void line(const std::string& text, Colour colour = Colour::none) { paragraph("", text, colour); }

  /// Adds `head` and, wrapped beside it, `text`. Only messages, which can be endless, have a `max_lines`.
  void paragraph(const std::string& head, const std::string& text, Colour colour = Colour::none,
                 std::size_t max_lines = 1'000) {
    const std::size_t indent = columns_of(head);
    const std::size_t room = width_ > indent + 8 ? width_ - indent : 8;
    std::string lead = head;
    for (const std::string& piece : wrap(text, room, max_lines)) {
      out_ += painted(lead + piece, colour, colour_) + "\n";
      lead.assign(indent, ' ');
    }
  }

  void table(const TextTable& table, std::size_t indent = 0) { out_ += table.text(width_, indent, colour_); }

  /// Adds a title line, e.g. "== title =====".
  void title(const std::string& text) {
    std::string line = "== " + shorten(text, width_ > 8 ? width_ - 8 : 1) + " ";
    const std::size_t used = columns_of(line);
    line += std::string(width_ > used ? width_ - used : 0, '=');
    blank();
    out_ += painted(line, Colour::bold, colour_) + "\n";
  }

  void heading(const std::string& text) {
    blank();
    line(text, Colour::bold);
  }

  std::string take() { return std::move(out_); }

 private:
  std::size_t width_;
  bool colour_;
  std::string out_;
};

}  // namespace contextual::log_report
