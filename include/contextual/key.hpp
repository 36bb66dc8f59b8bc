#pragma once

/// \file
/// The key: what a kernel's best config depends on, in a few words computed from a launch's arguments.

#include <contextual/bucket.hpp>
#include <contextual/detail/config/key_parts.hpp>
#include <contextual/export.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
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

/// A small value type of typed words. Keys are equal if their words and the types of these are equal. Cost:
/// hashing and comparing 7 words takes a few ns.
///
/// A key of more than `capacity` words holds a digest of 128 bits in their place, which is the same on every
/// rank and in every process; two such keys are equal if their digests are. Each word of a long key costs a
/// few ns. The process keeps the parts of long keys for `to_string`, each key's once and in 16 MiB at most:
/// of a key that is made in one go when it is made first, until half of that is taken, and of every key when
/// the thread that has just made it asks for its text, as tuning does. So keys that change with every launch
/// cost no memory without bound, and leave room for those that are tuned.
///
/// A range in one part is cheaper than its elements appended one by one: the words of a key that grows by
/// `append` beyond `capacity` words are written down in every launch.
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

  /// Appends one word of another key, given by that key's `type` and `word`. `to_string` does not show what
  /// is appended to a long key in this way.
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
  /// is "none".
  CONTEXTUAL_API std::string to_string() const;
  /// With a name for each part, e.g. "{M: 4096, shape: [4, 8], dtype: bf16}". There may be fewer or more
  /// names than parts.
  CONTEXTUAL_API std::string to_string(const std::vector<std::string>& names) const;

  /// Returns true if `to_string` shows the parts. Otherwise it shows a digest: that of a key which another
  /// process has made, or whose parts this process has not kept, see above. Thread-safe, without a lock.
  CONTEXTUAL_API bool shows_parts() const noexcept;

 private:
  template <typename... Parts>
  friend constexpr Key make_key(const Parts&... parts);

  static constexpr std::uint64_t digest_types =
      static_cast<std::uint64_t>(Type::digest) | (static_cast<std::uint64_t>(Type::digest) << 4);

  // Two mixes that differ in every constant (the finalisers of splitmix64 and of MurmurHash3), which the
  // processor overlaps.
  constexpr void mix(Type type, std::uint64_t word) {
    const std::uint64_t kind = static_cast<std::uint64_t>(type) + 1;
    std::uint64_t a = (words_[0] ^ word) + kind * 0x9e3779b97f4a7c15ULL;
    a = (a ^ (a >> 30)) * 0xbf58476d1ce4e5b9ULL;
    a = (a ^ (a >> 27)) * 0x94d049bb133111ebULL;
    std::uint64_t b = (words_[1] + word * 0xd6e8feb86659fd93ULL) ^ (kind * 0xa0761d6478bd642fULL);
    b = (b ^ (b >> 33)) * 0xff51afd7ed558ccdULL;
    b = (b ^ (b >> 29)) * 0xc4ceb9fe1a85ec53ULL;
    words_[0] = a ^ (a >> 31);
    words_[1] = b ^ (b >> 32);
  }

  [[gnu::noinline]] constexpr void digest(Type type, std::uint64_t word) {
    if (!is_digest()) {
      const Key all = *this;
      *this = Key();
      words_[0] = 0x243f6a8885a308d3ULL;  // the binary places of pi
      words_[1] = 0x13198a2e03707344ULL;
      types_ = digest_types;
      size_ = 2;
      for (std::size_t i = 0; i < capacity; ++i) {
        mix(all.type(i), all.words_[i]);
      }
    }
    mix(type, word);
  }

  template <typename... Parts>
  [[gnu::noinline]] void keep_parts(const Parts&... parts) const;
  template <typename T>
  [[gnu::noinline]] void note_appended(const Key& before, const T& part) const;

  std::array<std::uint64_t, capacity> words_{};
  std::uint64_t types_ = 0;  // 4 bits per word
  std::size_t size_ = 0;
};

namespace detail {

/// Words of a key, packed: for each its type in a byte, then 7 bits of the word a byte, the lowest first.
class KeyWords {
 public:
  using Type = Key::Type;
  struct Word {
    Type type;
    std::uint64_t word;
  };

  void append_word(Type type, std::uint64_t word) {
    bytes_.push_back(static_cast<char>(type));
    for (; word >= 0x80; word >>= 7) {
      bytes_.push_back(static_cast<char>((word & 0x7f) | 0x80));
    }
    bytes_.push_back(static_cast<char>(word));
  }
  std::vector<Word> words() const {
    std::vector<Word> words;
    for (std::size_t at = 0; at < bytes_.size();) {
      Word next{static_cast<Type>(bytes_[at++]), 0};
      for (int shift = 0;; shift += 7) {
        const auto byte = static_cast<unsigned char>(bytes_[at++]);
        next.word |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) {
          break;
        }
      }
      words.push_back(next);
    }
    return words;
  }
  /// Returns true if the first word is half a digest: that of a key whose parts are not known.
  static bool begin_with_digest(std::string_view bytes) noexcept {
    return !bytes.empty() && bytes.front() == static_cast<char>(Type::digest);
  }

  const std::string& bytes() const noexcept { return bytes_; }
  void assign(std::string_view bytes) { bytes_.assign(bytes); }
  void cut(std::size_t byte_count) { bytes_.resize(byte_count); }

 private:
  std::string bytes_;
};

/// Returns true if the parts of the digest need not be given: they are kept for the process or in this
/// thread's notes, or the thread ends.
CONTEXTUAL_API bool key_parts_kept(const Key& digest) noexcept;
/// Returns this thread's notes, which hold the words of `before` now; those to be added are appended to them.
/// Null if the thread ends. What the notes held is kept for the process, if there is room.
CONTEXTUAL_API KeyWords* begin_key_parts(const Key& before);
enum class KeyPartsOf {
  whole_key,  ///< to be kept now, if there is room
  appended,   ///< which may be on its way to a longer key
};
/// The words in this thread's notes gave the digest.
CONTEXTUAL_API void end_key_parts(const Key& digest, KeyPartsOf what);

}  // namespace detail

template <typename... Parts>
void Key::keep_parts(const Parts&... parts) const {
  if (detail::key_parts_kept(*this)) {
    return;
  }
  if (detail::KeyWords* const words = detail::begin_key_parts(Key())) {
    (detail::add_part(*words, parts), ...);
    detail::end_key_parts(*this, detail::KeyPartsOf::whole_key);
  }
}

template <typename T>
void Key::note_appended(const Key& before, const T& part) const {
  if (detail::KeyWords* const words = detail::begin_key_parts(before)) {
    detail::add_part(*words, part);
    detail::end_key_parts(*this, detail::KeyPartsOf::appended);
  }
}

template <typename T>
constexpr void Key::append(const T& part) {
  if constexpr (detail::NumberPart<T>) {
    if (size_ < capacity && !is_digest()) {
      detail::add_number(*this, part);
      return;
    }
  }
  const Key before = *this;
  detail::add_part(*this, part);
  if (is_digest() && !std::is_constant_evaluated()) {
    note_appended(before, part);
  }
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
  if (key.is_digest() && !std::is_constant_evaluated()) [[unlikely]] {
    key.keep_parts(parts...);
  }
  return key;
}

/// A key function for a kernel whose best config does not depend on the arguments, so that the kernel has one
/// tuning problem per region.
inline constexpr auto single_problem = [](const auto&...) noexcept { return Key{}; };

}  // namespace contextual
