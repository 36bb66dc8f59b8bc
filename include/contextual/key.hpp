#pragma once

/// \file
/// The key: what a kernel's best config depends on, in a few words computed from a launch's arguments.

#include <contextual/export.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace contextual {

namespace detail {

/// Odd factors without a pattern (from splitmix64). With them, keys whose words are swapped or differ by
/// small steps do not get the same sum of products.
inline constexpr auto key_factors = [] {
  std::array<std::uint64_t, 12> factors{};
  std::uint64_t state = 0;
  for (std::uint64_t& factor : factors) {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    factor = (z ^ (z >> 31)) | 1;
  }
  return factors;
}();

}  // namespace detail

/// A small value type of up to `capacity` typed words, which never allocates. Keys are equal if their words
/// and the types of these are equal. Cost: hashing and comparing 7 words takes a few ns.
class Key {
 public:
  static constexpr std::size_t capacity = detail::key_factors.size();
  /// How a word is to be read.
  enum class Type : std::uint8_t {
    signed_integer,
    unsigned_integer,
    boolean,
    floating,
    text,       ///< the first 8 characters of a text
    text_more,  ///< the next 8 characters of the text before it
  };

  constexpr Key() = default;

  constexpr std::size_t size() const noexcept { return size_; }  ///< in words
  constexpr std::uint64_t word(std::size_t i) const noexcept { return words_[i]; }
  constexpr Type type(std::size_t i) const noexcept { return static_cast<Type>((types_ >> (4 * i)) & 0xf); }

  constexpr bool operator==(const Key& other) const noexcept {
    if (size_ != other.size_ || types_ != other.types_) {
      return false;
    }
    for (std::size_t i = 0; i < size_; ++i) {
      if (words_[i] != other.words_[i]) {
        return false;
      }
    }
    return true;
  }

  /// Returns the same hash on every rank and in every run. Each word is multiplied on its own, so that the
  /// processor overlaps the multiplications instead of chaining them.
  constexpr std::uint64_t hash() const noexcept {
    std::uint64_t h = (types_ ^ (static_cast<std::uint64_t>(size_) << 60)) * 0x9e3779b97f4a7c15ULL;
    for (std::size_t i = 0; i < size_; ++i) {
      h += (words_[i] ^ (words_[i] >> 32)) * detail::key_factors[i];
    }
    h = (h ^ (h >> 32)) * 0xc4ceb9fe1a85ec53ULL;
    return h ^ (h >> 32);
  }

  /// Appends one part: an integer, an enumerator, a bool, a floating-point number or text. Throws
  /// InvalidArgument if the key is full.
  ///
  /// Text takes one word per 8 characters or part of them, at least one word, and throws InvalidArgument if
  /// it holds a NUL character. Floating-point numbers are compared by their bits, after -0 has become 0 and
  /// every NaN the same NaN.
  template <typename T>
  constexpr void append(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      push(value ? 1 : 0, Type::boolean);
    } else if constexpr (std::is_enum_v<T>) {
      append(static_cast<std::underlying_type_t<T>>(value));
    } else if constexpr (std::signed_integral<T>) {
      push(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)), Type::signed_integer);
    } else if constexpr (std::unsigned_integral<T>) {
      push(static_cast<std::uint64_t>(value), Type::unsigned_integer);
    } else if constexpr (std::floating_point<T>) {
      append_floating(static_cast<double>(value));
    } else {
      static_assert(std::is_convertible_v<const T&, std::string_view>,
                    "a key part is an integer, an enumerator, a bool, a floating-point number or text");
      append_text(std::string_view(value));
    }
  }

  /// Appends one word of another key, given by that key's `type` and `word`. Throws InvalidArgument if this
  /// key is full.
  constexpr void append_word(Type type, std::uint64_t word) { push(word, type); }

  /// For people, e.g. "(4096, 4096, bf16)". The number 1 and the text "1" look the same.
  CONTEXTUAL_API std::string to_string() const;
  /// With a name for each part, e.g. "{M: 4096, N: 4096, dtype: bf16}". There may be fewer or more names than
  /// parts.
  CONTEXTUAL_API std::string to_string(const std::vector<std::string>& names) const;

 private:
  std::vector<std::string> part_texts() const;
  constexpr void push(std::uint64_t word, Type type) {
    if (size_ == capacity) {
      overflow();
    }
    words_[size_] = word;
    types_ |= static_cast<std::uint64_t>(type) << (4 * size_);
    ++size_;
  }
  [[noreturn]] CONTEXTUAL_API static void overflow();
  CONTEXTUAL_API void append_floating(double value);
  CONTEXTUAL_API void append_text(std::string_view value);

  std::array<std::uint64_t, capacity> words_{};
  std::uint64_t types_ = 0;  // 4 bits per word
  std::size_t size_ = 0;
};

/// Makes a key of these parts in this order. Throws InvalidArgument if they need more than Key::capacity
/// words.
template <typename... Parts>
constexpr Key make_key(const Parts&... parts) {
  Key key;
  (key.append(parts), ...);
  return key;
}

/// A key function for a kernel whose best config does not depend on the arguments, so that the kernel has one
/// tuning problem per region.
inline constexpr auto single_problem = [](const auto&...) noexcept { return Key{}; };

}  // namespace contextual
