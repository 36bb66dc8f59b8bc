#include "report/html/svg_marks.hpp"

#include "report/format/quantities.hpp"
#include "report/html/html_text.hpp"

namespace contextual::log_report {
namespace {

/// `value` is escaped already.
std::string attribute(const std::string& name, const std::string& value) {
  return name + "=\"" + value + "\" ";
}

}  // namespace

std::string text_at(double x, double y, const std::string& text, const std::string& attributes) {
  return element("text", escaped(text),
                 "x=\"" + svg_number(x) + "\" y=\"" + svg_number(y) + "\"" +
                     (attributes.empty() ? "" : " " + attributes));
}

std::string line(double x1, double y1, double x2, double y2, const std::string& css_class) {
  return "<line class=\"" + css_class + "\" x1=\"" + svg_number(x1) + "\" y1=\"" + svg_number(y1) +
         "\" x2=\"" + svg_number(x2) + "\" y2=\"" + svg_number(y2) + "\"/>";
}

std::string circle(double x, double y, double radius, const std::string& css_class) {
  return "<circle class=\"" + css_class + "\" cx=\"" + svg_number(x) + "\" cy=\"" + svg_number(y) +
         "\" r=\"" + svg_number(radius) + "\"/>";
}

std::string rectangle(double x, double y, double width, double height, const std::string& css_class) {
  return "<rect class=\"" + css_class + "\" x=\"" + svg_number(x) + "\" y=\"" + svg_number(y) +
         "\" width=\"" + svg_number(width) + "\" height=\"" + svg_number(height) + "\"/>";
}

std::string tick_text(double ns) {
  std::string text = duration_text(ns);
  const std::size_t point = text.find('.');
  const std::size_t unit = text.find(' ');
  if (point == std::string::npos || unit == std::string::npos || point > unit) {
    return text;
  }
  const std::size_t last = text.find_last_not_of('0', unit - 1);
  return text.erase(last == point ? point : last + 1, unit - (last == point ? point : last + 1));
}

std::string mark(const std::string& title, const std::string& content) {
  return element("g", element("title", escaped(title)) + content, "class=\"mark\"") + "\n";
}

std::string figure(const std::string& kind, std::size_t marks, const std::string& caption, double height,
                   const std::string& marks_markup, const std::string& legend) {
  const std::string view_box = "0 0 " + svg_number(plot_width) + " " + svg_number(height);
  const std::string svg = element(
      "svg", marks_markup,
      attribute("viewBox", view_box) + attribute("role", "img") + attribute("aria-label", escaped(caption)));
  return element("figure", element("figcaption", escaped(caption) + legend) + svg,
                 attribute("class", "plot") + attribute("data-plot", kind) +
                     attribute("data-marks", std::to_string(marks))) +
         "\n";
}

std::string legend_entry(const std::string& css_class, const std::string& text) {
  return " " + element("span", element("i", "", attribute("class", css_class)) + " " + text,
                       attribute("class", "legend"));
}

}  // namespace contextual::log_report
