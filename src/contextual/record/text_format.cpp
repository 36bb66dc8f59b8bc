#include "contextual/record/text_format.hpp"

#include "contextual/record/quantities.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <type_traits>
#include <utility>

namespace contextual::record {
namespace {

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

void append_one_line(std::string& line, std::string_view text) {
  if (std::none_of(text.begin(), text.end(), is_control)) {
    line += text;
    return;
  }
  for (const char c : text) {
    if (c == '\n') {
      line += "\\n";
    } else if (c == '\t') {
      line += "\\t";
    } else if (is_control(c)) {
      char code[8];
      std::snprintf(code, sizeof code, "\\x%02x", static_cast<unsigned char>(c));
      line += code;
    } else {
      line += c;
    }
  }
}

std::string number_text(double number, Unit unit) {
  switch (unit) {
    case Unit::megahertz:
      return formatted("%.0f MHz", number);
    case Unit::celsius:
      return formatted("%.0f C", number);
    case Unit::watts:
      return formatted("%.0f W", number);
    case Unit::latency_ns:
      return format_latency(number);
    case Unit::duration_ns:
      return format_duration(static_cast<std::int64_t>(number));
    case Unit::fraction:
      return formatted("%.3g %%", 100 * number);
    case Unit::rate:
    case Unit::none:
      break;
  }
  return formatted("%.4g", number);
}

std::string numbers_text(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const std::int64_t number : numbers) {
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  }
  return text;
}

/// A line that grows by " | label: value" for every field that the schema shows to people. An entry of a list
/// is a value that grows by ", label: value".
class Line {
 public:
  template <typename Body>
  Line(const Event& event, const Body& body)
      : text_("[rank-" + std::to_string(event.rank) + "] func: " + one_line(event.region)) {
    if constexpr (std::is_same_v<Body, RunStart> || std::is_same_v<Body, Hello> ||
                  std::is_same_v<Body, RunEnd>) {
      add("run", event.run_id);
    }
    const std::size_t bare = text_.size();
    add_fields(body, "");
    if (text_.size() == bare) {
      text_.clear();
    }
  }

  void add(std::string_view label, std::string_view value) {
    text_ += text_.empty() ? "" : separator_;
    append_one_line(text_, label);
    text_ += ": ";
    append_one_line(text_, value);
  }
  std::string take() { return std::move(text_); }

 private:
  template <HasFields Entry>
  explicit Line(const Entry& entry) : separator_(", ") {
    add_fields(entry, "");
  }

  template <typename E>
  void add_fields(const E& event, const std::string& prefix) {
    static const E& unset = *new E{};  // never destroyed: a line may be written while the process exits
    for_each_field<E>([&](const auto& field) {
      const auto& value = event.*field.member;
      const bool changed = field.shown_when == Shown::if_set && value != unset.*field.member;
      if (changed || field.shown_when == Shown::always) {
        add_value(prefix + std::string(field.label), value, field);
      }
    });
  }

  template <typename T, typename Field>
  void add_value(const std::string& label, const T& value, const Field& field) {
    if constexpr (std::is_same_v<T, bool>) {
      add(label, value ? "yes" : "no");
    } else if constexpr (std::is_enum_v<T>) {
      add(label, enum_text(value));
    } else if constexpr (std::is_arithmetic_v<T>) {
      const bool is_count = std::is_integral_v<T> && field.unit == Unit::none;
      add(label, is_count ? std::to_string(value) : number_text(static_cast<double>(value), field.unit));
    } else {
      add(label, value);
    }
  }
  template <typename T, typename Field>
  void add_value(const std::string& label, const std::optional<T>& value, const Field& field) {
    if (value) {
      add_value(label, *value, field);
    } else if (!field.text_if_absent.empty()) {
      add(label, field.text_if_absent);
    }
  }
  template <typename Field>
  void add_value(const std::string& prefix, const ConfigUse& config, const Field& /*field*/) {
    add_fields(config, prefix);
  }
  template <typename Field>
  void add_value(const std::string& /*label*/, const ProblemName& problem, const Field& /*field*/) {
    add("kernel", problem.kernel);
    add("key", problem.key);
  }
  template <typename Field>
  void add_value(const std::string& label, const Config& config, const Field& /*field*/) {
    add(label, config.to_string());
  }
  template <typename Field>
  void add_value(const std::string& label, const std::vector<std::int64_t>& numbers, const Field& /*field*/) {
    add(label, numbers_text(numbers));
  }
  template <HasFields T, typename Field>
  void add_value(const std::string& label, const std::vector<T>& entries, const Field& /*field*/) {
    for (const T& entry : entries) {
      add(label, Line(entry).take());
    }
  }

  const char* separator_ = " | ";
  std::string text_;
};

template <typename Body>
std::string text_of(const Event& event, const Body& body) {
  return Line(event, body).take();
}

/// Its centre stands under the config's name.
std::string text_of(const Event& event, const LaunchRow& launch) {
  Line line(event, launch);
  if (launch.centre_ns) {
    line.add("config-" + std::to_string(launch.config.id) + " latency", format_latency(*launch.centre_ns));
  }
  return line.take();
}

}  // namespace

std::string to_text(const Event& event) {
  return std::visit([&](const auto& body) { return text_of(event, body); }, event.body);
}

std::string one_line(std::string_view text) {
  std::string line;
  append_one_line(line, text);
  return line;
}

}  // namespace contextual::record
