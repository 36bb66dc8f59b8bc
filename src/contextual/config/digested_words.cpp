#include "contextual/config/digested_words.hpp"

#include <algorithm>

namespace contextual::detail {
namespace {

constinit thread_local DigestedWords* collecting __attribute__((tls_model("initial-exec"))) = nullptr;

}  // namespace

void note_digested(const Digest& before, unsigned type, std::uint64_t word, const Digest& after) {
  if (collecting != nullptr) [[unlikely]] {
    collecting->steps_.push_back({before, {static_cast<Key::Type>(type), word}, after});
  }
}

DigestedWords::DigestedWords() {
  collecting = this;
}

DigestedWords::~DigestedWords() {
  collecting = nullptr;
}

std::vector<KeyWord> words_of(const Key& key) {
  std::vector<KeyWord> words;
  for (std::size_t i = 0; i < key.size(); ++i) {
    words.push_back({key.type(i), key.word(i)});
  }
  return words;
}

std::vector<KeyWord> DigestedWords::words_of(const Key& key) const {
  if (!key.is_digest()) {
    return detail::words_of(key);
  }
  std::vector<KeyWord> words;
  // From the last word to the first one: several keys may have grown from one.
  Digest digest{key.word(0), key.word(1)};
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    if (step->after == digest) {
      words.push_back(step->word);
      digest = step->before;
    }
  }
  if (!(digest == empty_digest)) {
    words.push_back({Key::Type::digest, digest.second});
    words.push_back({Key::Type::digest, digest.first});
  }
  std::reverse(words.begin(), words.end());
  return words;
}

}  // namespace contextual::detail
