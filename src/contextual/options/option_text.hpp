#pragma once

/// \file
/// Values of options as texts, by which ranks compare them.

#include <contextual/options.hpp>

#include <array>
#include <charconv>
#include <chrono>
#include <concepts>
#include <iomanip>
#include <sstream>
#include <string>
#include <vector>

namespace contextual::options {

// Values have the same text only if they are equal.
inline std::string text_of(Mode mode) {
  return mode == Mode::tune ? "tune" : mode == Mode::use ? "use" : "off";
}
inline std::string text_of(SearchLevel level) {
  return std::array{"off", "quick", "normal", "thorough"}.at(static_cast<std::size_t>(level));
}
inline std::string text_of(Revalidate revalidate) {
  return std::array{"no", "tune_if_worse", "defaults_if_worse"}.at(static_cast<std::size_t>(revalidate));
}
inline std::string text_of(std::chrono::milliseconds time) {
  return std::to_string(time.count()) + "ms";
}
inline std::string text_of(Iterations iterations) {
  return iterations == Iterations::joined ? "joined" : "pipelined";
}
inline std::string text_of(std::integral auto value) {
  if constexpr (std::same_as<decltype(value), bool>) {
    return value ? "true" : "false";
  } else {
    return std::to_string(value);
  }
}
inline std::string text_of(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

/// The same for searches.
inline std::string text_of(const SearchFactory& search) {
  return search ? "own" : "joint";
}
/// Of other functions all that can be told is whether they are set.
inline std::string text_of(const std::function<bool(std::span<const AssignedConfig>)>& feasible) {
  return feasible ? "set" : "none";
}
inline std::string text_of(const std::function<bool(const IterationInfo&)>& verify) {
  return verify ? "set" : "none";
}
/// The names, quoted; that they are on one line is checked by `validate`.
template <typename Named>
std::string names_of(const std::vector<Named>& all) {
  std::string text;
  for (const Named& one : all) {
    std::ostringstream name;
    name << std::quoted(one.name);
    text += (text.empty() ? "" : ",") + name.str();
  }
  return text.empty() ? "none" : text;
}
inline std::string text_of(const std::vector<RegionPart>& parts) {
  return names_of(parts);
}
/// The same, with the numbers of their types.
inline std::string text_of(const std::vector<Output>& outputs) {
  std::string text;
  for (const Output& output : outputs) {
    std::ostringstream one;
    one << std::quoted(output.name) << ":" << static_cast<int>(output.type);
    text += (text.empty() ? "" : ",") + one.str();
  }
  return text.empty() ? "none" : text;
}

template <typename T>
concept Comparable = requires(const T& value) {
  text_of(value);
};

}  // namespace contextual::options
