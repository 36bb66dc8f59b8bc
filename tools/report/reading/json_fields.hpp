#pragma once

/// \file
/// Typed, checked access to the fields of one JSON object from an untrusted line.

#include "report/reading/text_pool.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::log_report {

struct ParsedLine {
  nlohmann::json object;
  std::vector<std::string> config_names;  ///< of the object "config", in the line's order
};

/// Throws DamagedLine, also where the line is nested deeper than any event. Its time is linear in the line's
/// length times its logarithm: that is why the objects are sorted ones, and the order of a config kept
/// beside.
ParsedLine parse_line(std::string_view line);

/// The fields of one object; empty where it has none of that name, and null counts as none. Everything throws
/// DamagedLine for a value of another type or outside of [low, high]. The object and all else that is given
/// must live longer.
class Fields {
 public:
  /// Throws DamagedLine when `object` is none.
  Fields(const nlohmann::json& object, const std::vector<std::string>& config_names, TextPool& pool);

  TextPool& pool() { return *pool_; }

  std::optional<std::string_view> text(const char* name);
  std::optional<std::int64_t> number(const char* name, std::int64_t low, std::int64_t high);
  std::optional<double> real(const char* name);
  std::optional<bool> flag(const char* name);
  std::optional<std::vector<std::int64_t>> numbers(const char* name, std::int64_t low, std::int64_t high);
  /// Calls `use` for each object of a list; an absent list has none.
  void each_object(const char* name, const std::function<void(Fields&)>& use);
  /// A config, names and values, as the text "{BLOCK_N: 128, SWIZZLE: true}".
  std::optional<std::string_view> config(const char* name);

  /// Fields that nobody asked for.
  std::size_t unknown() const;

 private:
  /// Null when absent.
  const nlohmann::json* find(const char* name);

  const nlohmann::json* object_;
  const std::vector<std::string>* config_names_;
  TextPool* pool_;
  std::size_t asked_for_ = 0;  ///< that are there
  std::size_t unknown_inside_ = 0;
};

}  // namespace contextual::log_report
