#pragma once

/// \file
/// The parts of keys that are too long to hold them.

#include <contextual/key.hpp>

namespace contextual::detail {

/// What a digest was made of.
struct LongKey {
  Key digest;
  Key before;      ///< may be a digest itself
  KeyWords words;  ///< appended to it
};

/// Returns nothing if this process has not kept it. What is returned is never destroyed. Thread-safe, without
/// a lock.
const LongKey* find_long_key(const Key& digest) noexcept;

/// All words of a key. Those of a digest whose parts are not kept are its two halves.
KeyWords all_words(const Key& key);

}  // namespace contextual::detail
