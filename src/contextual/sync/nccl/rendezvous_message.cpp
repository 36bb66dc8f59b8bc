#include "contextual/sync/nccl/rendezvous_message.hpp"

#include <algorithm>

namespace contextual::sync {
namespace {

// "CTXLmeet" and a version.
constexpr std::uint64_t magic = 0x4354584c6d650001;

template <typename Number>
void put(std::string& bytes, Number number) {
  for (int shift = static_cast<int>(sizeof number) * 8 - 8; shift >= 0; shift -= 8) {
    bytes.push_back(static_cast<char>((number >> shift) & 0xff));
  }
}

/// Takes a number off the front; the caller knows that there are enough bytes.
template <typename Number>
Number take(std::string_view& bytes) {
  Number number = 0;
  for (std::size_t i = 0; i < sizeof number; ++i) {
    number = static_cast<Number>(number << 8 | static_cast<unsigned char>(bytes[i]));
  }
  bytes.remove_prefix(sizeof number);
  return number;
}

bool known(std::uint32_t kind) {
  return kind >= static_cast<std::uint32_t>(Answer::Kind::welcome) &&
         kind <= static_cast<std::uint32_t>(Answer::Kind::missing);
}

std::string body_of(const Answer& answer) {
  if (answer.kind != Answer::Kind::missing) {
    return answer.text.substr(0, Answer::most_bytes);
  }
  std::string body;
  const std::size_t most = Answer::most_bytes / sizeof(std::uint32_t);
  for (std::size_t i = 0; i < std::min(answer.missing.size(), most); ++i) {
    put(body, static_cast<std::uint32_t>(answer.missing[i]));
  }
  return body;
}

}  // namespace

std::string encode(const Greeting& greeting) {
  std::string bytes;
  put(bytes, magic);
  put(bytes, greeting.job);
  put(bytes, greeting.size);
  put(bytes, greeting.rank);
  return bytes;
}

std::optional<Greeting> decode_greeting(std::string_view bytes) {
  if (bytes.size() != Greeting::bytes || take<std::uint64_t>(bytes) != magic) {
    return std::nullopt;
  }
  Greeting greeting;
  greeting.job = take<std::uint64_t>(bytes);
  greeting.size = take<std::uint32_t>(bytes);
  greeting.rank = take<std::uint32_t>(bytes);
  return greeting;
}

std::string encode(const Answer& answer) {
  const std::string body = body_of(answer);
  std::string bytes;
  put(bytes, magic);
  put(bytes, static_cast<std::uint32_t>(answer.kind));
  put(bytes, static_cast<std::uint32_t>(body.size()));
  return bytes + body;
}

std::optional<std::size_t> decode_length(std::string_view header) {
  if (header.size() != Answer::header_bytes || take<std::uint64_t>(header) != magic ||
      !known(take<std::uint32_t>(header))) {
    return std::nullopt;
  }
  const std::size_t length = take<std::uint32_t>(header);
  return length <= Answer::most_bytes ? std::optional(length) : std::nullopt;
}

std::optional<Answer> decode_answer(std::string_view bytes) {
  const auto length = decode_length(bytes.substr(0, Answer::header_bytes));
  if (!length || bytes.size() != Answer::header_bytes + *length) {
    return std::nullopt;
  }
  bytes.remove_prefix(sizeof magic);
  Answer answer;
  answer.kind = static_cast<Answer::Kind>(take<std::uint32_t>(bytes));
  bytes.remove_prefix(sizeof(std::uint32_t));
  if (answer.kind != Answer::Kind::missing) {
    answer.text = bytes;
    return answer;
  }
  while (bytes.size() >= sizeof(std::uint32_t)) {
    answer.missing.push_back(static_cast<int>(take<std::uint32_t>(bytes)));
  }
  return answer;
}

}  // namespace contextual::sync
