#include <contextual/abort_word.hpp>
#include <contextual/error.hpp>

#include <atomic>
#include <map>
#include <mutex>
#include <utility>

namespace contextual {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::uint32_t*, std::uint32_t> raised_values;  ///< by the word's address
};

/// Never destroyed: words may be unregistered while the process exits.
Registry& registry() {
  static auto* const all = new Registry;
  return *all;
}

}  // namespace

AbortWord::AbortWord(std::uint32_t* word, std::uint32_t raised) {
  if (word == nullptr) {
    throw InvalidArgument("AbortWord got a null pointer");
  }
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  if (!all.raised_values.emplace(word, raised).second) {
    throw InvalidArgument("AbortWord got a word that is registered already: each word has one owner");
  }
  word_ = word;
}

AbortWord::AbortWord(AbortWord&& other) noexcept : word_(std::exchange(other.word_, nullptr)) {}

AbortWord& AbortWord::operator=(AbortWord&& other) noexcept {
  std::swap(word_, other.word_);
  return *this;
}

AbortWord::~AbortWord() {
  if (word_ != nullptr) {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    all.raised_values.erase(word_);
  }
}

std::size_t raise_abort_words() noexcept {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  for (const auto& [word, raised] : all.raised_values) {
    std::atomic_ref(*word).store(raised, std::memory_order_release);
  }
  return all.raised_values.size();
}

}  // namespace contextual
