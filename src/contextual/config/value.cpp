#include <contextual/value.hpp>

#include <array>
#include <charconv>

namespace contextual {

namespace {

std::string shortest(double number) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  std::string text(buffer.data(), result.ptr);
  const bool looks_like_an_integer = text.find_first_not_of("-0123456789") == std::string::npos;
  return looks_like_an_integer ? text + ".0" : text;
}

}  // namespace

std::string to_string(const Value& value) {
  if (const bool* truth = std::get_if<bool>(&value)) {
    return *truth ? "true" : "false";
  }
  if (const std::int64_t* integer = std::get_if<std::int64_t>(&value)) {
    return std::to_string(*integer);
  }
  if (const double* number = std::get_if<double>(&value)) {
    return shortest(*number);
  }
  return std::get<std::string>(value);
}

std::string_view type_name(const Value& value) {
  constexpr std::array<std::string_view, 4> names{"bool", "integer", "floating point", "text"};
  return names.at(value.index());
}

}  // namespace contextual
