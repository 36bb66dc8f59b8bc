#include "report/html/html_text.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace contextual::log_report {

std::string escaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string element(std::string_view name, std::string_view content, std::string_view attributes) {
  std::string markup = "<" + std::string(name);
  if (!attributes.empty()) {
    markup.append(" ").append(attributes);
  }
  return markup.append(">").append(content).append("</").append(name).append(">");
}

std::string svg_number(double value) {
  if (!std::isfinite(value) || std::abs(value) > 1e6) {
    return "0";
  }
  std::array<char, 32> digits{};
  const auto [end, error] =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed, 1);
  return error == std::errc{} ? std::string(digits.data(), end) : "0";
}

}  // namespace contextual::log_report
