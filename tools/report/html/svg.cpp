#include "report/html/svg.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <utility>

namespace contextual::log_report {
namespace {

std::string number(double value) {
  std::array<char, 32> digits{};
  const double shown = std::isfinite(value) && std::abs(value) <= 1e6 ? value : 0;
  const auto end = std::to_chars(digits.begin(), digits.end(), shown, std::chars_format::fixed, 1).ptr;
  return {digits.begin(), end};
}

std::string numbers(std::initializer_list<std::pair<const char*, double>> values) {
  std::string text;
  for (const auto& [name, value] : values) {
    text += " " + std::string(name) + "=\"" + number(value) + "\"";
  }
  return text;
}

std::string class_of(std::string_view name) {
  return "class=\"" + std::string(name) + "\"";
}

}  // namespace

std::string escaped(std::string_view text) {
  constexpr std::array<std::pair<char, const char*>, 5> escapes{
      {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}}};
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    const auto* const escape =
        std::find_if(escapes.begin(), escapes.end(), [&](const auto& e) { return e.first == c; });
    escape == escapes.end() ? result.push_back(c) : void(result += escape->second);
  }
  return result;
}

std::string element(std::string_view name, std::string_view content, std::string_view attributes) {
  std::string markup = "<" + std::string(name);
  markup.append(attributes.empty() ? "" : " ").append(attributes);
  return markup.append(">").append(content).append("</").append(name).append(">");
}

void Svg::text(double x, double y, std::string_view text, std::string_view attributes) {
  markup_ += element("text", escaped(text),
                     (numbers({{"x", x}, {"y", y}}) + " ").substr(1) + std::string(attributes));
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view name) {
  markup_ += "<line " + class_of(name) + numbers({{"x1", x1}, {"y1", y1}, {"x2", x2}, {"y2", y2}}) + "/>";
}

void Svg::circle(double x, double y, double radius, std::string_view name) {
  markup_ += "<circle " + class_of(name) + numbers({{"cx", x}, {"cy", y}, {"r", radius}}) + "/>";
}

void Svg::rectangle(double x, double y, double width, double height, std::string_view name) {
  markup_ +=
      "<rect " + class_of(name) + numbers({{"x", x}, {"y", y}, {"width", width}, {"height", height}}) + "/>";
}

void Svg::begin_mark(std::string_view title) {
  markup_ += "<g class=\"mark\">" + element("title", escaped(title));
  ++marks_;
}

void Svg::legend(std::string_view name, std::string_view text) {
  legend_ +=
      " " + element("span", element("i", "", class_of("key " + std::string(name))) + " " + std::string(text),
                    class_of("legend"));
}

std::string Svg::figure(const std::string& kind, const std::string& caption, double height) const {
  const std::string view_box = "viewBox=\"0 0 " + number(plot_width) + " " + number(height) + "\"";
  const std::string svg =
      element("svg", markup_, view_box + " role=\"img\" aria-label=\"" + escaped(caption) + "\"");
  return element("figure", element("figcaption", escaped(caption) + legend_) + svg,
                 "class=\"plot\" data-plot=\"" + kind + "\" data-marks=\"" + std::to_string(marks_) + "\"") +
         "\n";
}

}  // namespace contextual::log_report
