#pragma once

/// \file
/// The parts of keys that are too long to hold them.

#include <contextual/key.hpp>

#include <cstddef>

namespace contextual::detail {

/// What the process keeps of long keys takes at most this much. Their words are packed, so that is room for
/// some 100,000 keys of 20 small numbers.
inline constexpr std::size_t most_long_key_bytes = std::size_t{16} << 20U;
/// What nobody has asked for takes at most this much, so that keys that change with every launch leave room
/// for those that are tuned.
inline constexpr std::size_t most_unasked_bytes = most_long_key_bytes / 2;

/// Returns what the kept parts take. Thread-safe.
std::size_t long_key_bytes() noexcept;

/// Returns true if `all_words` gives the parts of this key. Thread-safe, without a lock.
bool has_words(const Key& key) noexcept;

/// All words of a key. Those of a digest whose parts are not known are its two halves. Keeps for the process
/// what this thread alone knows, if there is room. Thread-safe, without a lock.
KeyWords all_words(const Key& key);

}  // namespace contextual::detail
