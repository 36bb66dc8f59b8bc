#include "contextual/config/key_part_texts.hpp"

#include <contextual/detail/config/hex_text.hpp>
#include <contextual/value.hpp>

#include <bit>

namespace contextual::detail {
namespace {

void append_unpacked(std::string& out, std::uint64_t word) {
  for (; word != 0; word >>= 8) {
    out.push_back(static_cast<char>(static_cast<unsigned char>(word & 0xff)));
  }
}

/// Reads words part by part. Any words will do, also those of a damaged file.
class PartReader {
 public:
  explicit PartReader(const std::vector<KeyWord>& words) : words_(words) {}

  bool at_end() const noexcept { return next_ == words_.size(); }
  /// The text of the next part.
  std::string read();

 private:
  using Type = Key::Type;

  std::string read_list(std::uint64_t count, const char* brackets);
  std::string read_text(std::uint64_t first);
  std::string read_digest(std::uint64_t first);

  const std::vector<KeyWord>& words_;
  std::size_t next_ = 0;
};

std::string PartReader::read() {
  const auto [type, word] = words_[next_++];
  switch (type) {
    case Type::signed_integer:
      return std::to_string(static_cast<std::int64_t>(word));
    case Type::boolean:
      return word != 0 ? "true" : "false";
    case Type::floating:
      return to_string(Value(std::bit_cast<double>(word)));
    case Type::text:
    case Type::text_more:
      return read_text(word);
    case Type::range:
      return read_list(word, "[]");
    case Type::tuple:
      return read_list(word, "()");
    case Type::optional:
      return word == 0 || at_end() ? "none" : read();
    case Type::digest:
      return read_digest(word);
    case Type::unsigned_integer:
      break;
  }
  return std::to_string(word);
}

std::string PartReader::read_list(std::uint64_t count, const char* brackets) {
  std::string out(1, brackets[0]);
  for (std::uint64_t i = 0; i < count && !at_end(); ++i) {
    out += (i > 0 ? ", " : "") + read();
  }
  return out + brackets[1];
}

std::string PartReader::read_text(std::uint64_t first) {
  std::string out;
  append_unpacked(out, first);
  for (; !at_end() && words_[next_].type == Type::text_more; ++next_) {
    append_unpacked(out, words_[next_].word);
  }
  return out;
}

std::string PartReader::read_digest(std::uint64_t first) {
  std::string out = "digest " + hex_text(first);
  if (!at_end() && words_[next_].type == Type::digest) {
    out += hex_text(words_[next_++].word);
  }
  return out;
}

}  // namespace

std::vector<std::string> key_part_texts(const std::vector<KeyWord>& words) {
  std::vector<std::string> parts;
  for (PartReader reader(words); !reader.at_end();) {
    parts.push_back(reader.read());
  }
  return parts;
}

std::string key_text(const std::vector<KeyWord>& words, const std::vector<std::string>& names) {
  const bool digest = !words.empty() && words.front().type == Key::Type::digest;
  std::string out(names.empty() ? "(" : "{");
  std::size_t part = 0;
  for (const std::string& text : key_part_texts(words)) {
    out += (part > 0 ? ", " : "") + (part < names.size() && !digest ? names[part] + ": " : "") + text;
    ++part;
  }
  return out + (names.empty() ? ")" : "}");
}

}  // namespace contextual::detail
