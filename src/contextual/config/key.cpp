#include <contextual/error.hpp>
#include <contextual/key.hpp>
#include <contextual/value.hpp>

#include <bit>
#include <cmath>
#include <limits>

namespace contextual {

namespace {

constexpr std::size_t word_bytes = 8;

// The first character in the lowest byte, whatever the platform's byte order.
std::uint64_t pack(std::string_view text) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    word |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[i])) << (8 * i);
  }
  return word;
}

void append_unpacked(std::string& out, std::uint64_t word) {
  for (; word != 0; word >>= 8) {
    out.push_back(static_cast<char>(static_cast<unsigned char>(word & 0xff)));
  }
}

}  // namespace

void Key::overflow() {
  throw InvalidArgument(
      "key: more than " + std::to_string(capacity) +
      " words (text takes a word for every 8 characters): leave out what the best config does "
      "not depend on, or join several parts into one number");
}

void Key::append_floating(double value) {
  if (std::isnan(value)) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (value == 0.0) {
    value = 0.0;  // -0 compares equal and becomes +0
  }
  push(std::bit_cast<std::uint64_t>(value), Type::floating);
}

void Key::append_text(std::string_view value) {
  if (value.find('\0') != std::string_view::npos) {
    throw InvalidArgument("key: the text \"" + std::string(value.substr(0, value.find('\0'))) +
                          "\" contains a NUL character: give text without NUL characters");
  }
  push(pack(value.substr(0, word_bytes)), Type::text);
  for (std::size_t begin = word_bytes; begin < value.size(); begin += word_bytes) {
    push(pack(value.substr(begin, word_bytes)), Type::text_more);
  }
}

std::vector<std::string> Key::part_texts() const {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < size_; ++i) {
    if (type(i) != Type::text_more) {
      parts.emplace_back();
    }
    std::string& part = parts.back();
    switch (type(i)) {
      case Type::signed_integer:
        part = std::to_string(static_cast<std::int64_t>(words_[i]));
        break;
      case Type::unsigned_integer:
        part = std::to_string(words_[i]);
        break;
      case Type::boolean:
        part = words_[i] != 0 ? "true" : "false";
        break;
      case Type::floating:
        part = contextual::to_string(Value(std::bit_cast<double>(words_[i])));
        break;
      case Type::text:
      case Type::text_more:
        append_unpacked(part, words_[i]);
        break;
    }
  }
  return parts;
}

std::string Key::to_string() const {
  std::string out = "(";
  for (const std::string& part : part_texts()) {
    out += (out.size() > 1 ? ", " : "") + part;
  }
  return out + ")";
}

std::string Key::to_string(const std::vector<std::string>& names) const {
  const std::vector<std::string> parts = part_texts();
  std::string out = "{";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    out += (i > 0 ? ", " : "") + (i < names.size() ? names[i] + ": " : "") + parts[i];
  }
  return out + "}";
}

}  // namespace contextual
