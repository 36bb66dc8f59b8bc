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

/// Parses a line. Throws DamagedLine if it is not a JSON object or is nested deeper than any event. For a
/// line of n bytes it takes time n log n, which needs objects sorted by name; the order of a config's names
/// is therefore kept separately.
ParsedLine parse_line(std::string_view line);

/// The fields of one object. The functions return nothing if there is no field of that name or if it is null,
/// and throw DamagedLine for a value of another type or outside of [low, high]. All arguments of the
/// constructor must outlive it.
class Fields {
 public:
  /// Throws DamagedLine if `object` is not an object.
  Fields(const nlohmann::json& object, const std::vector<std::string>& config_names, TextPool& pool);

  TextPool& pool() { return *pool_; }

  std::optional<std::string_view> text(const char* name);
  std::optional<std::int64_t> number(const char* name, std::int64_t low, std::int64_t high);
  std::optional<double> real(const char* name);
  std::optional<bool> flag(const char* name);
  std::optional<std::vector<std::int64_t>> numbers(const char* name, std::int64_t low, std::int64_t high);
  /// Calls `use` for each object of a list. An absent list is empty.
  void each_object(const char* name, const std::function<void(Fields&)>& use);
  /// Returns a config, i.e. names and values, as text, e.g. "{BLOCK_N: 128, SWIZZLE: true}".
  std::optional<std::string_view> config(const char* name);

  /// Returns the number of fields that were never asked for.
  std::size_t unknown() const;

 private:
  /// Returns null if the field is absent.
  const nlohmann::json* find(const char* name);

  const nlohmann::json* object_;
  const std::vector<std::string>* config_names_;
  TextPool* pool_;
  std::size_t asked_for_ = 0;  ///< existing fields that were asked for
  std::size_t unknown_inside_ = 0;
};

}  // namespace contextual::log_report
