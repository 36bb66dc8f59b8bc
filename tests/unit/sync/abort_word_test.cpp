#include "support/catch.hpp"
#include "support/threads.hpp"

#include <contextual/abort_word.hpp>
#include <contextual/error.hpp>

#include <atomic>
#include <cstdlib>

namespace contextual::abort_word_test {

TEST_CASE("abort word: every registered word is raised to its own value, and no other") {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  std::uint32_t stranger = 0;
  const AbortWord holds_first(&first);
  const AbortWord holds_second(&second, 77);
  CHECK(raise_abort_words() == 2);
  CHECK(first == 1);
  CHECK(second == 77);
  CHECK(stranger == 0);
}

TEST_CASE("abort word: a word is raised again after its owner has lowered it") {
  std::uint32_t word = 0;
  const AbortWord holds(&word);
  raise_abort_words();
  word = 0;
  raise_abort_words();
  CHECK(word == 1);
}

TEST_CASE("abort word: what is not registered any more is left alone") {
  std::uint32_t word = 0;
  { const AbortWord holds(&word); }
  CHECK(raise_abort_words() == 0);
  CHECK(word == 0);
  const AbortWord again(&word);  // may be registered again
  CHECK(raise_abort_words() == 1);
}

TEST_CASE("abort word: moving keeps a word registered, once") {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  std::optional<AbortWord> source(std::in_place, &first);
  AbortWord target(&second);
  AbortWord moved(std::move(*source));
  source.reset();
  CHECK(raise_abort_words() == 2);
  target = std::move(moved);
  moved = AbortWord();  // gives up the word that `target` had
  first = second = 0;
  CHECK(raise_abort_words() == 1);
  CHECK(first == 1);
  CHECK(second == 0);
}

TEST_CASE("abort word: a null pointer and a word with an owner are refused") {
  std::uint32_t word = 0;
  const AbortWord holds(&word);
  CHECK_THROWS_AS(AbortWord(nullptr), InvalidArgument);
  CHECK_THROWS_AS(AbortWord(&word), InvalidArgument);
  CHECK(raise_abort_words() == 1);
}

TEST_CASE("abort word: threads register and raise at the same time") {
  std::atomic<bool> over{false};
  std::thread raises([&] {
    while (!over) {
      raise_abort_words();
    }
  });
  test::on_threads(4, [](int) {
    for (int i = 0; i < 200; ++i) {
      std::uint32_t word = 0;
      { const AbortWord holds(&word); }
      const std::uint32_t left_with = std::atomic_ref(word).load();
      std::this_thread::yield();
      if (std::atomic_ref(word).load() != left_with) {
        std::abort();  // raised after it was unregistered
      }
    }
  });
  over = true;
  raises.join();
  CHECK(raise_abort_words() == 0);
}

}  // namespace contextual::abort_word_test
