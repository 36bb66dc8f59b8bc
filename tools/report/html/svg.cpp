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

/// 1, 2 or 5 times a power of ten, at least `value`.
double round_up(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  const double digit = value / power;
  return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
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

Axis::Axis(double low, double high, double begin, double end)
    : low_(low), high_(high), begin_(begin), end_(end) {
  constexpr double largest = 1e300;  // differences of values up to this one are finite
  constexpr double logarithmic_from = 30;
  if (!std::isfinite(low_) || !std::isfinite(high_) || low_ > high_) {
    low_ = 0;
    high_ = 1;
  }
  low_ = std::clamp(low_, -largest, largest);
  high_ = std::clamp(high_, -largest, largest);
  if (high_ - low_ <= std::abs(high_) * 1e-9) {
    const double margin = high_ == 0 ? 1 : std::abs(high_) * 0.05;
    low_ -= margin;
    high_ += margin;
  }
  logarithmic_ = low_ > 0 && high_ / low_ > logarithmic_from;
}

double Axis::scaled(double value) const {
  return logarithmic_ ? std::log10(value) : value;
}

double Axis::position(double value) const {
  const double inside = std::clamp(std::isfinite(value) ? value : low_, low_, high_);
  const double share = (scaled(inside) - scaled(low_)) / (scaled(high_) - scaled(low_));
  return begin_ + share * (end_ - begin_);
}

std::vector<Axis::Tick> Axis::ticks(int count) const {
  constexpr std::size_t most = 32;  // rounding cannot pass it
  constexpr double close = 1e-9;
  const double span = (scaled(high_) - scaled(low_)) / count;
  const double step = logarithmic_ ? std::ceil(2 * span) / 2 : round_up(span);  // half decades: 1, 3, 10
  std::vector<Tick> ticks;
  for (double at = std::ceil(scaled(low_) / step - close) * step;
       at <= scaled(high_) + step * close && ticks.size() < most; at += step) {
    const double power = std::floor(at + close);
    const double value = logarithmic_ ? std::round(std::pow(10, at - power)) * std::pow(10, power) : at;
    if (value >= low_) {
      ticks.push_back({position(value), value});
    }
  }
  return ticks;
}

}  // namespace contextual::log_report
