#include "contextual/config/digested_words.hpp"

#include <algorithm>

namespace contextual::detail {
namespace {

constinit thread_local DigestedWords* collecting __attribute__((tls_model("initial-exec"))) = nullptr;

}  // namespace

constinit std::atomic<int> digest_collectors{0};

void note_digested(Digest before, unsigned type, std::uint64_t word) {
  if (collecting != nullptr) {
    collecting->steps_.push_back({before, {static_cast<Key::Type>(type), word}});
  }
}

DigestedWords::DigestedWords() {
  collecting = this;
  digest_collectors.fetch_add(1, std::memory_order_relaxed);
}

DigestedWords::~DigestedWords() {
  digest_collectors.fetch_sub(1, std::memory_order_relaxed);
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
  for (std::size_t i = steps_.size(); i-- > 0;) {
    const Step& step = steps_[i];
    if (mixed(step.before, static_cast<unsigned>(step.word.type), step.word.word) == digest) {
      words.push_back(step.word);
      digest = step.before;
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
