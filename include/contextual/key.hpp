#pragma once

/// \file
/// The key: what a kernel's best config depends on, in a few words computed from a launch's arguments.

#include <contextual/bucket.hpp>
#include <contextual/detail/config/key_parts.hpp>
#include <contextual/export.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
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

/// What a long key holds in place of its words.
struct Digest {
  std::uint64_t first;
  std::uint64_t second;
  constexpr bool operator==(const Digest&) const = default;
};

/// The binary places of pi.
inline constexpr Digest empty_digest{0x243f6a8885a308d3ULL, 0x13198a2e03707344ULL};

/// How many objects collect what goes into digests: see DigestedWords.
CONTEXTUAL_API extern std::atomic<int> digest_collectors;
/// Called, while there are any, before a word of this type goes into a digest.
CONTEXTUAL_API void note_digested(Digest before, unsigned type, std::uint64_t word);

/// Returns the digest with one word more. Its halves are two mixes that differ in every constant (the
/// finalisers of splitmix64 and of MurmurHash3), which the processor overlaps.
constexpr Digest mixed(Digest before, unsigned type, std::uint64_t word) noexcept {
  const std::uint64_t kind = std::uint64_t{type} + 1;
  std::uint64_t a = (before.first ^ word) + kind * 0x9e3779b97f4a7c15ULL;
  a = (a ^ (a >> 30)) * 0xbf58476d1ce4e5b9ULL;
  a = (a ^ (a >> 27)) * 0x94d049bb133111ebULL;
  std::uint64_t b = (before.second + word * 0xd6e8feb86659fd93ULL) ^ (kind * 0xa0761d6478bd642fULL);
  b = (b ^ (b >> 33)) * 0xff51afd7ed558ccdULL;
  b = (b ^ (b >> 29)) * 0xc4ceb9fe1a85ec53ULL;
  return {a ^ (a >> 31), b ^ (b >> 32)};
}

}  // namespace detail

/// A small value type of typed words. Keys are equal if their words and the types of these are equal. Cost:
/// hashing and comparing 7 words takes a few ns.
///
/// A key of more than `capacity` words holds a digest of 128 bits in their place, which is the same on every
/// rank and in every process; two such keys are equal if their digests are. Each word of a long key costs a
/// few ns. Logs, reports and kept choices show the parts of a long key that was tuned, as far as the key
/// function itself puts them together, because the tuner calls it once more for a new problem to see them.
/// `to_string`, and messages outside of tuning, show the digest.
class Key {
 public:
  static constexpr std::size_t capacity = detail::key_factors.size();
  /// How a word is to be read. Files of kept choices have these numbers.
  enum class Type : std::uint8_t {
    signed_integer,
    unsigned_integer,
    boolean,
    floating,
    text,       ///< the first 8 characters of a text
    text_more,  ///< the next 8 characters of the text before it
    range,      ///< the number of its elements, which follow
    tuple,      ///< the number of its parts, which follow
    optional,   ///< 1: its value follows; 0: it has none
    digest,     ///< of a long key: the first or the second half of its digest, and nothing else
  };

  constexpr Key() = default;

  constexpr std::size_t size() const noexcept { return size_; }  ///< in words
  constexpr std::uint64_t word(std::size_t i) const noexcept { return words_[i]; }
  constexpr Type type(std::size_t i) const noexcept { return static_cast<Type>((types_ >> (4 * i)) & 0xf); }
  /// Returns true for the digest of more than `capacity` words.
  constexpr bool is_digest() const noexcept { return types_ == digest_types; }

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

  /// Appends one part: an integer, an enumerator, a bool, a floating-point number, text, or a range, a tuple,
  /// a pair or an optional of such parts, nested as you like. A number has at most 64 bits, so `__int128`
  /// and, where it has more, `long double` do not compile. A range needs an order, so an unordered container
  /// does not compile, and neither does a range that only goes forward, unless it is a std::forward_list: it
  /// may be a view of an unordered container.
  ///
  /// Text takes one word per 8 characters or part of them, at least one word, and throws InvalidArgument if
  /// it holds a NUL character. Floating-point numbers are compared by their bits, after -0 has become 0 and
  /// every NaN the same NaN. A range, a tuple and an optional take one word beside those of their parts, so
  /// that
  /// ((1, 2), 3) and (1, (2, 3)) differ, as do nothing, an empty range, an empty optional and 0.
  template <typename T>
  constexpr void append(const T& part);
  template <typename T>
  constexpr void append(std::initializer_list<T> range);

  /// Appends one word of another key, given by that key's `type` and `word`.
  [[gnu::always_inline]] constexpr void append_word(Type type, std::uint64_t word) {
    if (size_ == capacity || is_digest()) [[unlikely]] {
      digest(type, word);
      return;
    }
    words_[size_] = word;
    types_ |= static_cast<std::uint64_t>(type) << (4 * size_);
    ++size_;
  }

  /// For people, e.g. "(4096, [4, 8], bf16)". The number 1 and the text "1" look the same; an empty optional
  /// is "none", and a long key its digest.
  CONTEXTUAL_API std::string to_string() const;
  /// With a name for each part, e.g. "{M: 4096, shape: [4, 8], dtype: bf16}". There may be fewer or more
  /// names than parts.
  CONTEXTUAL_API std::string to_string(const std::vector<std::string>& names) const;

 private:
  static constexpr std::uint64_t digest_types =
      static_cast<std::uint64_t>(Type::digest) | (static_cast<std::uint64_t>(Type::digest) << 4);

  constexpr void mix(Type type, std::uint64_t word) {
    const detail::Digest before{words_[0], words_[1]};
    if (!std::is_constant_evaluated() && detail::digest_collectors.load(std::memory_order_relaxed) != 0)
        [[unlikely]] {
      detail::note_digested(before, static_cast<unsigned>(type), word);
    }
    const detail::Digest after = detail::mixed(before, static_cast<unsigned>(type), word);
    words_[0] = after.first;
    words_[1] = after.second;
  }

  [[gnu::noinline]] constexpr void digest(Type type, std::uint64_t word) {
    if (!is_digest()) {
      const Key all = *this;
      *this = Key();
      words_[0] = detail::empty_digest.first;
      words_[1] = detail::empty_digest.second;
      types_ = digest_types;
      size_ = 2;
      for (std::size_t i = 0; i < capacity; ++i) {
        mix(all.type(i), all.words_[i]);
      }
    }
    mix(type, word);
  }

  std::array<std::uint64_t, capacity> words_{};
  std::uint64_t types_ = 0;  // 4 bits per word
  std::size_t size_ = 0;
};

template <typename T>
constexpr void Key::append(const T& part) {
  detail::add_part(*this, part);
}

template <typename T>
constexpr void Key::append(std::initializer_list<T> range) {
  append<std::initializer_list<T>>(range);
}

/// Makes a key of these parts in this order: see Key::append.
template <typename... Parts>
constexpr Key make_key(const Parts&... parts) {
  Key key;
  (detail::add_part(key, parts), ...);
  return key;
}

/// A key function for a kernel whose best config does not depend on the arguments, so that the kernel has one
/// tuning problem per region.
inline constexpr auto single_problem = [](const auto&...) noexcept { return Key{}; };

}  // namespace contextual
