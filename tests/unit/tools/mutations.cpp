#include "unit/tools/mutations.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>

namespace report_test {
namespace {

std::vector<std::string> lines_in(const std::string& file) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  while (begin < file.size()) {
    const std::size_t end = std::min(file.find('\n', begin), file.size() - 1);
    lines.push_back(file.substr(begin, end + 1 - begin));
    begin = end + 1;
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string file;
  for (const std::string& line : lines) {
    file += line;
  }
  return file;
}

/// Where the value that begins after the colon at `colon` ends.
std::size_t value_end(const std::string& text, std::size_t colon) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = colon + 1; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      i += c == '\\' ? 1 : 0;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '\n' || (depth == 0 && (c == ',' || c == '}' || c == ']'))) {
      return i;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return text.size();
}

/// Values of every type and size.
const std::vector<std::string>& odd_values() {
  static const std::vector<std::string> all = [] {
    std::istringstream text(R"~(
      null true false 0 -1 1 2 7 1000000000 999999999999999999 1000000000000000000 9223372036854775807
      9223372036854775808 -9223372036854775808 18446744073709551615 184467440737095516150
      1e308 -1e308 1e999 0.5 -0.0 1e-320 "" "1" [] {} [1] [0,1,2,1000000000] {"a":{"b":1}}
      "\u0000\u001b[2J\u202e<script>" "search" "region" "RegionFailedError" "failed")~");
    return std::vector<std::string>{std::istream_iterator<std::string>(text), {}};
  }();
  return all;
}

constexpr std::array<std::string_view, 8> odd_bytes{
    std::string_view("\0", 1), "\xff", "\xc3", "\xf4\x90\x80\x80", "\n", "\"", "\\", "}"};

}  // namespace

std::size_t Mutator::below(std::size_t bound) {
  return bound == 0 ? 0 : static_cast<std::size_t>(random_() % bound);
}

void Mutator::flip_bits(std::string& file, std::string& /*other*/) {
  for (std::size_t count = 1 + below(4); count > 0 && !file.empty(); --count) {
    char& byte = file[below(file.size())];
    byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1U << below(8)));
  }
}

void Mutator::cut(std::string& file, std::string& /*other*/) {
  file.resize(below(file.size() + 1));
}

void Mutator::insert_bytes(std::string& file, std::string& /*other*/) {
  const std::string_view bytes = odd_bytes[below(odd_bytes.size())];
  for (std::size_t count = 1 + below(3); count > 0; --count) {
    file.insert(below(file.size() + 1), bytes);
  }
}

void Mutator::remove_bytes(std::string& file, std::string& /*other*/) {
  const std::size_t begin = below(file.size());
  file.erase(begin, 1 + below(40));
}

void Mutator::repeat_or_remove_line(std::string& file, std::string& /*other*/) {
  std::vector<std::string> lines = lines_in(file);
  if (lines.empty()) {
    return;
  }
  const auto line = lines.begin() + static_cast<std::ptrdiff_t>(below(lines.size()));
  if (below(2) == 0) {
    lines.erase(line);
  } else {
    const std::string copy = *line;
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(below(lines.size())), 1 + below(4), copy);
  }
  file = joined(lines);
}

void Mutator::exchange_lines(std::string& file, std::string& other) {
  std::vector<std::string> from = lines_in(file);
  std::vector<std::string> to = lines_in(other);
  if (from.empty() || to.empty()) {
    return;
  }
  std::swap(from[below(from.size())], to[below(to.size())]);
  file = joined(from);
  other = joined(to);
}

void Mutator::splice(std::string& file, std::string& other) {
  const std::string tail = other.substr(below(other.size() + 1), 1 + below(400));
  file.insert(below(file.size() + 1), tail);
}

void Mutator::replace_value(std::string& file, std::string& /*other*/) {
  const std::size_t colon = file.find("\":", below(file.size()));
  if (colon != std::string::npos) {
    file.replace(colon + 2, value_end(file, colon + 1) - colon - 2, odd_values()[below(odd_values().size())]);
  }
}

void Mutator::exchange_values(std::string& file, std::string& /*other*/) {
  const std::size_t first = file.find("\":", below(file.size()));
  const std::size_t second = first == std::string::npos ? first : file.find("\":", first + 2 + below(200));
  if (second == std::string::npos) {
    return;
  }
  const std::size_t first_end = value_end(file, first + 1);
  if (first_end > second) {
    return;
  }
  const std::string first_value = file.substr(first + 2, first_end - first - 2);
  const std::size_t second_end = value_end(file, second + 1);
  const std::string second_value = file.substr(second + 2, second_end - second - 2);
  file.replace(second + 2, second_value.size(), first_value);
  file.replace(first + 2, first_value.size(), second_value);
}

void Mutator::insert_nesting(std::string& file, std::string& /*other*/) {
  const std::size_t depth = 1 + below(20'000);
  const std::size_t colon = file.find("\":", below(file.size()));
  if (colon != std::string::npos) {
    const bool closed = below(2) == 0;
    file.insert(colon + 2, std::string(depth, '[') + (closed ? std::string(depth, ']') : "") + ",\"x\":");
  }
}

void Mutator::insert_long_line(std::string& file, std::string& /*other*/) {
  const std::size_t quote = file.find('"', below(file.size()));
  if (quote != std::string::npos) {
    file.insert(quote + 1, std::string(1 + below(30'000), below(2) == 0 ? 'x' : '<'));
  }
}

void Mutator::mutate(Files& files) {
  constexpr auto mutations = std::to_array(
      {&Mutator::flip_bits, &Mutator::cut, &Mutator::insert_bytes, &Mutator::remove_bytes,
       &Mutator::repeat_or_remove_line, &Mutator::repeat_or_remove_line, &Mutator::exchange_lines,
       &Mutator::splice, &Mutator::insert_nesting, &Mutator::insert_long_line, &Mutator::exchange_values,
       &Mutator::exchange_values, &Mutator::replace_value, &Mutator::replace_value, &Mutator::replace_value,
       &Mutator::replace_value});
  for (std::size_t count = 1 + below(4); count > 0; --count) {
    const auto mutation = mutations[below(mutations.size())];
    std::string& file = files[below(files.size())];
    (this->*mutation)(file, files[below(files.size())]);
  }
}

}  // namespace report_test
