#pragma once

/// \file
/// The words of a key, also of one that is too long to hold them.

#include <contextual/key.hpp>

#include <cstdint>
#include <vector>

namespace contextual::detail {

struct KeyWord {
  Key::Type type;
  std::uint64_t word;

  friend bool operator<(const KeyWord& a, const KeyWord& b) {
    return a.type != b.type ? a.type < b.type : a.word < b.word;
  }
};

/// The words that a key holds: those of a long one are the two halves of its digest.
std::vector<KeyWord> words_of(const Key& key);

/// Collects what goes into digests on the calling thread, from its construction to its destruction.
class DigestedWords {
 public:
  DigestedWords();
  DigestedWords(const DigestedWords&) = delete;
  DigestedWords& operator=(const DigestedWords&) = delete;
  ~DigestedWords();

  /// Returns all words of a key. Those that went into its digest before are represented by the two halves of
  /// the digest that they made.
  std::vector<KeyWord> words_of(const Key& key) const;

 private:
  friend void note_digested(Digest before, unsigned type, std::uint64_t word);

  struct Step {
    Digest before;
    KeyWord word;
  };

  std::vector<Step> steps_;
};

}  // namespace contextual::detail
