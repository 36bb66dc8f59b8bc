#include "contextual/config/long_keys.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::detail {
namespace {

/// The two words of a digest.
struct DigestWords {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  bool operator==(const DigestWords&) const = default;
};

DigestWords words_of(const Key& digest) noexcept {
  return {digest.word(0), digest.word(1)};
}

/// What a digest was made of.
struct LongKey {
  DigestWords digest;
  std::string bytes;  ///< of its KeyWords
};

/// An open-addressed table whose entries are never changed nor removed. Its empty slots cost address space,
/// but no memory. Without a constructor or destructor, it serves static objects at any time.
constexpr std::size_t slot_count = std::size_t{1} << 17U;
/// A key is kept in one of this many slots, or not at all. So a look-up ends soon, also in a full table.
constexpr std::size_t most_probes = 16;
constinit std::array<std::atomic<const LongKey*>, slot_count> slots{};
constinit std::atomic<std::size_t> kept_bytes{0};

std::atomic<const LongKey*>& slot_of(DigestWords digest, std::size_t probe) noexcept {
  return slots[(static_cast<std::size_t>(digest.first) + probe) % slot_count];
}

const LongKey* find_kept(DigestWords digest) noexcept {
  for (std::size_t probe = 0; probe < most_probes; ++probe) {
    const LongKey* const found = slot_of(digest, probe).load(std::memory_order_acquire);
    if (found == nullptr || found->digest == digest) {
      return found;
    }
  }
  return nullptr;
}

/// Returns false if another thread was faster, or there is no slot.
bool insert(std::unique_ptr<const LongKey> key) noexcept {
  for (std::size_t probe = 0; probe < most_probes; ++probe) {
    const LongKey* there = nullptr;
    if (slot_of(key->digest, probe).compare_exchange_strong(there, key.get(), std::memory_order_acq_rel)) {
      static_cast<void>(key.release());  // lives as long as the process
      return true;
    }
    if (there->digest == key->digest) {
      return false;
    }
  }
  return false;
}

/// Keeps the parts for the process, if no more than `most_bytes` are kept then.
void keep(DigestWords digest, std::string_view bytes, std::size_t most_bytes) {
  constexpr std::size_t of_the_heap = 32;  // what two allocations take beside what is asked for
  const std::size_t cost = sizeof(LongKey) + bytes.size() + of_the_heap;
  if (find_kept(digest) != nullptr) {
    return;
  }
  if (kept_bytes.fetch_add(cost, std::memory_order_relaxed) + cost > most_bytes) {
    kept_bytes.fetch_sub(cost, std::memory_order_relaxed);
    return;
  }
  if (!insert(std::make_unique<const LongKey>(LongKey{digest, std::string(bytes)}))) {
    kept_bytes.fetch_sub(cost, std::memory_order_relaxed);
  }
}

/// The words of the long key that a thread has made last, and how many of them each key had from which it has
/// grown. So a key that grows part by part is kept once, and not in each of its lengths.
class ThreadNotes {
 public:
  KeyWords& begin(const Key& before) {
    if (!before.is_digest()) {
      keep_newest(most_unasked_bytes);
      marks_.clear();
      words_.cut(0);
      append_words_of(before);
    } else if (const Mark* const mark = find(words_of(before)); mark != nullptr) {
      go_back_to(static_cast<std::size_t>(mark - marks_.data()));
    } else {
      keep_newest(most_unasked_bytes);
      marks_.clear();
      words_.cut(0);
      if (const LongKey* const kept = find_kept(words_of(before))) {
        words_.assign(kept->bytes);
      } else {
        append_words_of(before);
      }
      marks_.push_back({words_of(before), words_.bytes().size()});
    }
    return words_;
  }

  void end(DigestWords digest, KeyPartsOf what) {
    marks_.push_back({digest, words_.bytes().size()});
    if (what == KeyPartsOf::whole_key) {
      keep_newest(most_unasked_bytes);
    }
  }

  bool newest_is(DigestWords digest) const noexcept {
    return !marks_.empty() && marks_.back().digest == digest;
  }

  /// Returns nothing if these notes do not hold the key.
  std::string_view bytes_of(DigestWords digest) const noexcept {
    const Mark* const mark = find(digest);
    return mark == nullptr ? std::string_view() : bytes_up_to(*mark);
  }

 private:
  struct Mark {
    DigestWords digest;
    std::size_t byte_count = 0;
  };

  const Mark* find(DigestWords digest) const noexcept {
    const auto mark = std::find_if(marks_.rbegin(), marks_.rend(),
                                   [digest](const Mark& known) { return known.digest == digest; });
    return mark != marks_.rend() ? &*mark : nullptr;
  }

  std::string_view bytes_up_to(const Mark& mark) const noexcept {
    return std::string_view(words_.bytes()).substr(0, mark.byte_count);
  }

  void go_back_to(std::size_t mark) {
    if (mark + 1 < marks_.size()) {
      keep_newest(most_unasked_bytes);
      marks_.resize(mark + 1);
    }
    words_.cut(marks_.back().byte_count);
  }

  void append_words_of(const Key& key) {
    for (std::size_t i = 0; i < key.size(); ++i) {
      words_.append_word(key.type(i), key.word(i));
    }
  }

  void keep_newest(std::size_t most_bytes) const {
    if (!marks_.empty()) {
      keep(marks_.back().digest, bytes_up_to(marks_.back()), most_bytes);
    }
  }

  KeyWords words_;
  std::vector<Mark> marks_;
};

// Objects of a thread, and static ones, may make keys after its notes are gone.
constinit thread_local ThreadNotes* notes_of_thread = nullptr;
constinit thread_local bool thread_ends = false;

struct NotesOwner {
  NotesOwner() { notes_of_thread = new ThreadNotes; }
  NotesOwner(const NotesOwner&) = delete;
  NotesOwner& operator=(const NotesOwner&) = delete;
  ~NotesOwner() {
    delete notes_of_thread;
    notes_of_thread = nullptr;
    thread_ends = true;
  }
};

/// Null if the thread ends.
ThreadNotes* thread_notes() {
  if (notes_of_thread == nullptr && !thread_ends) {
    static thread_local const NotesOwner owner;
  }
  return notes_of_thread;
}

std::string_view known_bytes(const Key& key) noexcept {
  const DigestWords digest = words_of(key);
  if (const LongKey* const kept = find_kept(digest)) {
    return kept->bytes;
  }
  return notes_of_thread == nullptr ? std::string_view() : notes_of_thread->bytes_of(digest);
}

}  // namespace

std::size_t long_key_bytes() noexcept {
  return kept_bytes.load(std::memory_order_relaxed);
}

bool key_parts_kept(const Key& digest) noexcept {
  const bool noted = notes_of_thread != nullptr && notes_of_thread->newest_is(words_of(digest));
  return noted || thread_ends || find_kept(words_of(digest)) != nullptr;
}

KeyWords* begin_key_parts(const Key& before) {
  ThreadNotes* const notes = thread_notes();
  return notes == nullptr ? nullptr : &notes->begin(before);
}

void end_key_parts(const Key& digest, KeyPartsOf what) {
  if (notes_of_thread != nullptr) {
    notes_of_thread->end(words_of(digest), what);
  }
}

bool has_words(const Key& key) noexcept {
  if (!key.is_digest()) {
    return true;
  }
  const std::string_view bytes = known_bytes(key);
  return !bytes.empty() && !KeyWords::begin_with_digest(bytes);
}

KeyWords all_words(const Key& key) {
  KeyWords words;
  const std::string_view bytes = key.is_digest() ? known_bytes(key) : std::string_view();
  if (bytes.empty()) {
    for (std::size_t i = 0; i < key.size(); ++i) {
      words.append_word(key.type(i), key.word(i));
    }
  } else {
    keep(words_of(key), bytes, most_long_key_bytes);
    words.assign(bytes);
  }
  return words;
}

}  // namespace contextual::detail
