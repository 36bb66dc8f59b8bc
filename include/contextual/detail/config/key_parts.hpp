#pragma once

/// \file
/// How the parts of a key become words.
///
/// A number is one word, and a text one word for every 8 characters. A range, a tuple and an optional begin
/// with a word that says how many parts follow. So the words of one part are never the beginning of another
/// part's, and different parts never give the same words.

#include <contextual/export.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace contextual::detail {

/// What one word holds without loss. `__int128`, which GNU's standards call arithmetic, and a `long double`
/// of more than 64 bits would be cut, and two of them would give one key.
template <typename T>
concept NumberPart = (std::is_arithmetic_v<T> || std::is_enum_v<T>)&&sizeof(T) <= sizeof(std::uint64_t);

template <typename T>
concept TextPart = std::is_convertible_v<const T&, std::string_view>;

template <typename T>
using RangeIterator = decltype(std::begin(std::declval<const T&>()));

template <typename T>
inline constexpr bool is_forward_list = false;
template <typename T, typename Allocator>
inline constexpr bool is_forward_list<std::forward_list<T, Allocator>> = true;

/// What can be walked over twice, in an order that is the same in every process. A range that goes forward
/// only may be a view of an unordered container, as `std::views::keys` of a hash map is, so of these only a
/// forward_list is one. A file-system path consists of paths, which have no end.
template <typename T>
concept RangePart =
    !TextPart<T> && std::forward_iterator<RangeIterator<T>> &&
    (std::bidirectional_iterator<RangeIterator<T>> ||
     is_forward_list<T>)&&std::sentinel_for<decltype(std::end(std::declval<const T&>())), RangeIterator<T>> &&
    !std::is_same_v<std::iter_value_t<RangeIterator<T>>, T> && !requires {
  typename T::hasher;
};

template <typename T>
inline constexpr bool is_tuple = false;
template <typename... Ts>
inline constexpr bool is_tuple<std::tuple<Ts...>> = true;
template <typename First, typename Second>
inline constexpr bool is_tuple<std::pair<First, Second>> = true;

template <typename T>
inline constexpr bool is_optional = false;
template <typename T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <typename>
inline constexpr bool is_key_part = false;  // depends on the type, as the assertion below has to

[[noreturn]] CONTEXTUAL_API void refuse_nul(std::string_view text);

/// Adds one number to the words. Floating-point numbers are compared by their bits, after -0 has become 0 and
/// every NaN the same NaN.
template <typename Words, NumberPart T>
constexpr void add_number(Words& words, T value) {
  using Type = typename Words::Type;
  if constexpr (std::is_same_v<T, bool>) {
    words.append_word(Type::boolean, value ? 1 : 0);
  } else if constexpr (std::is_enum_v<T>) {
    add_number(words, static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::floating_point<T>) {
    const auto number = static_cast<double>(value);
    const double alike = number != number ? std::numeric_limits<double>::quiet_NaN() : number;
    words.append_word(Type::floating, std::bit_cast<std::uint64_t>(alike == 0.0 ? 0.0 : alike));
  } else if constexpr (std::signed_integral<T>) {
    words.append_word(Type::signed_integer, static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
  } else {
    words.append_word(Type::unsigned_integer, static_cast<std::uint64_t>(value));
  }
}

/// At least one word; the first character is in the lowest byte, whatever the platform's byte order.
template <typename Words>
constexpr void add_text(Words& words, std::string_view text) {
  constexpr std::size_t word_bytes = 8;
  if (text.find('\0') != std::string_view::npos) {
    refuse_nul(text);
  }
  std::size_t begin = 0;
  do {
    std::uint64_t word = 0;
    for (std::size_t i = begin; i < text.size() && i < begin + word_bytes; ++i) {
      word |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[i])) << (8 * (i - begin));
    }
    words.append_word(begin == 0 ? Words::Type::text : Words::Type::text_more, word);
    begin += word_bytes;
  } while (begin < text.size());
}

template <typename Words, typename T>
constexpr void add_part(Words& words, const T& part);

template <typename Words, RangePart T>
constexpr void add_range(Words& words, const T& range) {
  std::uint64_t count = 0;
  if constexpr (requires { std::size(range); }) {
    count = static_cast<std::uint64_t>(std::size(range));
  } else {
    for (auto at = std::begin(range); at != std::end(range); ++at) {
      ++count;
    }
  }
  words.append_word(Words::Type::range, count);
  for (auto at = std::begin(range); at != std::end(range); ++at) {
    const std::iter_value_t<RangeIterator<T>>& element = *at;  // std::vector<bool> has bools that are objects
    add_part(words, element);
  }
}

template <typename Words, typename T>
constexpr void add_part(Words& words, const T& part) {
  if constexpr (NumberPart<T>) {
    add_number(words, part);
  } else if constexpr (TextPart<T>) {
    add_text(words, std::string_view(part));
  } else if constexpr (is_optional<T>) {
    words.append_word(Words::Type::optional, part.has_value() ? 1 : 0);
    if (part) {
      add_part(words, *part);
    }
  } else if constexpr (is_tuple<T>) {
    words.append_word(Words::Type::tuple, std::tuple_size_v<T>);
    std::apply([&words](const auto&... parts) { (add_part(words, parts), ...); }, part);
  } else if constexpr (RangePart<T>) {
    add_range(words, part);
  } else {
    static_assert(
        is_key_part<T>,
        "a key part is an integer, an enumerator, a bool, a floating-point number, text, or an ordered "
        "range, a tuple, a pair or an optional of these; a number has at most 64 bits, and a range goes "
        "backwards too or is a std::forward_list, because a view of an unordered container does not");
  }
}

}  // namespace contextual::detail
