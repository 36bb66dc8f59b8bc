#pragma once

/// \file
/// What ranks say to each other when they meet. All numbers are sent with their highest byte first.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::sync {

/// A rank introduces itself to rank 0.
struct Greeting {
  static constexpr std::size_t bytes = 24;

  std::uint64_t job = 0;
  std::uint32_t size = 0;
  std::uint32_t rank = 0;
};

/// What rank 0 answers, once.
struct Answer {
  enum class Kind : std::uint32_t {
    welcome = 1,  ///< all ranks are there; the text is what rank 0 has for them
    refused = 2,  ///< the text says why
    missing = 3,  ///< the ranks of `missing` did not come
  };
  static constexpr std::size_t header_bytes = 16;
  static constexpr std::size_t most_bytes = 65536;  ///< of what follows the header

  Kind kind = Kind::refused;
  std::string text;
  std::vector<int> missing;  ///< as many as fit
};

std::string encode(const Greeting& greeting);
/// Returns nothing for bytes that no rank of this library sends.
std::optional<Greeting> decode_greeting(std::string_view bytes);

std::string encode(const Answer& answer);
/// Returns how many bytes follow this header, or nothing if it is no header of an answer.
std::optional<std::size_t> decode_length(std::string_view header);
/// Of a header and all that follows it.
std::optional<Answer> decode_answer(std::string_view bytes);

}  // namespace contextual::sync
