#pragma once

/// \file
/// A hash that is the same in every run, on every rank and platform. It does not resist deliberate
/// collisions.

#include <contextual/value.hpp>

#include <bit>
#include <cstdint>
#include <string_view>

namespace contextual::detail {

/// The order of what is added matters. A text is added with its length, so that ("ab", "c") and ("a", "bc")
/// differ.
class StableHash {
 public:
  constexpr StableHash& add(std::uint64_t word) noexcept {
    state_ = (state_ ^ word) * 0xff51afd7ed558ccdULL;
    state_ ^= state_ >> 32;
    return *this;
  }

  constexpr StableHash& add(std::string_view text) noexcept {
    std::uint64_t h = 0xcbf29ce484222325ULL;  // FNV-1a, 64 bits
    for (const char c : text) {
      h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    }
    return add(text.size()).add(h);
  }

  StableHash& add(const Value& value) noexcept {
    add(static_cast<std::uint64_t>(value.index()));
    if (const bool* truth = std::get_if<bool>(&value)) {
      return add(std::uint64_t{*truth});
    }
    if (const std::int64_t* integer = std::get_if<std::int64_t>(&value)) {
      return add(static_cast<std::uint64_t>(*integer));
    }
    if (const double* number = std::get_if<double>(&value)) {
      return add(std::bit_cast<std::uint64_t>(*number == 0 ? 0.0 : *number));  // -0 equals 0
    }
    return add(std::string_view(*std::get_if<std::string>(&value)));
  }

  constexpr std::uint64_t value() const noexcept {
    const std::uint64_t h = (state_ ^ (state_ >> 29)) * 0xc4ceb9fe1a85ec53ULL;
    return h ^ (h >> 32);
  }

 private:
  std::uint64_t state_ = 0x9e3779b97f4a7c15ULL;
};

}  // namespace contextual::detail
