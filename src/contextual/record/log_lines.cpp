#include "contextual/record/log_lines.hpp"

#include "contextual/record/quantities.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace contextual::record {
namespace {

template <typename T>
constexpr bool is_list = false;
template <typename T>
constexpr bool is_list<std::vector<T>> = true;

// For programs.

/// As nlohmann::json writes it, without making a document first: a run of the region has a line for each of
/// its problems.
template <typename T>
std::string dumped(const T& value) {
  return nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool is_plain(char c) {
  return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

/// An object that grows by a field.
class JsonObject {
 public:
  template <typename T>
  void add(std::string_view name, const T& value) {
    if constexpr (std::is_same_v<T, ConfigUse>) {
      add_fields(value);
    } else if constexpr (std::is_same_v<T, ProblemName>) {
      add(name, value.kernel);
      add(key_field, value.key);
    } else {
      text_ += text_.size() == 1 ? "" : ",";
      append(name);
      text_ += ':';
      append(value);
    }
  }
  template <typename E>
  void add_fields(const E& event) {
    for_each_field<E>([&](const auto& field) { add(field.name, event.*field.member); });
  }
  std::string take() { return std::move(text_) + '}'; }

 private:
  template <typename T>
  void append(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      append(enum_text(value));
    } else if constexpr (std::is_same_v<T, bool>) {
      text_ += value ? "true" : "false";
    } else if constexpr (std::is_integral_v<T>) {
      text_ += std::to_string(value);
    } else if constexpr (std::is_convertible_v<T, std::string_view>) {
      const std::string_view text(value);
      const bool plain = std::all_of(text.begin(), text.end(), is_plain);
      text_ += plain ? '"' + std::string(text) + '"' : dumped(text);
    } else if constexpr (std::is_same_v<T, Config>) {
      JsonObject object;
      for (const Config::Entry& entry : value.entries()) {
        std::visit([&](const auto& parameter) { object.add(entry.name, parameter); }, entry.value);
      }
      text_ += object.take();
    } else if constexpr (HasFields<T>) {
      JsonObject object;
      object.add_fields(value);
      text_ += object.take();
    } else if constexpr (is_list<T>) {
      const char* before = "[";
      for (const auto& entry : value) {
        text_ += std::exchange(before, ",");
        append(entry);
      }
      text_ += value.empty() ? "[]" : "]";
    } else {
      text_ += dumped(value);
    }
  }
  template <typename T>
  void append(const std::optional<T>& value) {
    if (value) {
      append(*value);
    } else {
      text_ += "null";
    }
  }

  std::string text_ = "{";
};

// For people.

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

std::string number_text(double number, Unit unit) {
  switch (unit) {
    case Unit::megahertz:
      return fixed(number, 0) + " MHz";
    case Unit::celsius:
      return fixed(number, 0) + " C";
    case Unit::watts:
      return fixed(number, 0) + " W";
    case Unit::ms:
      return format_latency(number);
    case Unit::duration:
      return format_duration(static_cast<std::int64_t>(number));
    case Unit::fraction:
      return with_digits(100 * number, 3) + " %";
    case Unit::none:
      break;
  }
  return with_digits(number, 4);
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
    if constexpr (std::is_same_v<Body, LaunchRow>) {
      if (body.centre_ns) {  // labeled by the config
        add("config-" + std::to_string(body.config.id) + " latency", format_latency(*body.centre_ns));
      }
    }
    if (text_.size() == bare) {
      text_.clear();
    }
  }

  std::string take() { return std::move(text_); }

 private:
  template <HasFields Entry>
  explicit Line(const Entry& entry) : separator_(", ") {
    add_fields(entry, "");
  }

  void add(std::string_view label, std::string_view value) {
    text_.append(text_.empty() ? "" : separator_).append(label).append(": ").append(one_line(value));
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

  /// `label` is a prefix for what has fields of its own.
  template <typename T, typename Field>
  void add_value(const std::string& label, const T& value, const Field& field) {
    if constexpr (std::is_same_v<T, ConfigUse>) {
      add_fields(value, label);
    } else if constexpr (std::is_same_v<T, ProblemName>) {
      add("kernel", value.kernel);
      add("key", value.key);
    } else if constexpr (std::is_same_v<T, Config>) {
      add(label, value.to_string());
    } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
      std::string numbers;
      for (const std::int64_t number : value) {
        numbers += (numbers.empty() ? "" : ", ") + std::to_string(number);
      }
      add(label, numbers);
    } else if constexpr (is_list<T>) {
      for (const auto& entry : value) {
        add(label, Line(entry).take());
      }
    } else if constexpr (std::is_same_v<T, bool>) {
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

  const char* separator_ = " | ";
  std::string text_;
};

}  // namespace

std::string to_json_line(const Event& event) {
  JsonObject object;
  std::visit(
      [&](const auto& body) {
        object.add(schema::event_name_field, body.event_name);
        object.add_fields(event);
        object.add_fields(body);
      },
      event.body);
  return object.take();
}

std::string to_text(const Event& event) {
  return std::visit([&](const auto& body) { return Line(event, body).take(); }, event.body);
}

std::string one_line(std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  if (std::none_of(text.begin(), text.end(), is_control)) {
    return std::string(text);
  }
  std::string line;
  for (const char c : text) {
    if (!is_control(c)) {
      line += c;
    } else if (c == '\n' || c == '\t') {
      line.append(c == '\n' ? "\\n" : "\\t");
    } else {
      const auto code = static_cast<unsigned char>(c);
      line.append("\\x").append({hex[code / 16], hex[code % 16]});
    }
  }
  return line;
}

}  // namespace contextual::record
