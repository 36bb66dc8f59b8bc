#pragma once

/// \file
/// Streams of several ranks as lists of steps, which a random scheduler carries out in any order that they
/// allow.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

namespace contextual::kernels::test {

/// One step of a stream. It is carried out at once, when it is the first of its stream and `ready` returns
/// true.
struct Step {
  std::function<bool()> ready;
  std::function<void()> run;
};

class Stream {
 public:
  void then(std::function<void()> run) {
    steps_.push_back({[] { return true; }, std::move(run)});
  }
  void wait(std::function<bool()> ready) {
    steps_.push_back({std::move(ready), [] {}});
  }

  bool empty() const { return steps_.empty(); }
  bool ready() const { return !steps_.empty() && steps_.front().ready(); }
  void advance() {
    const Step step = std::move(steps_.front());
    steps_.pop_front();
    step.run();
  }

 private:
  std::deque<Step> steps_;
};

/// Carries out all streams in a random order. Throws std::runtime_error if they wait for each other for ever.
inline void run_all(std::vector<Stream>& streams, std::uint32_t seed) {
  std::mt19937 random(seed);
  for (;;) {
    std::vector<std::size_t> ready;
    bool all_empty = true;
    for (std::size_t s = 0; s < streams.size(); ++s) {
      all_empty = all_empty && streams[s].empty();
      if (streams[s].ready()) {
        ready.push_back(s);
      }
    }
    if (ready.empty()) {
      if (all_empty) {
        return;
      }
      throw std::runtime_error("the streams wait for each other");
    }
    Stream& stream = streams[ready[std::uniform_int_distribution<std::size_t>(0, ready.size() - 1)(random)]];
    // Some streams run far ahead of others.
    for (int steps = std::geometric_distribution<int>(0.2)(random) + 1; steps > 0 && stream.ready();
         --steps) {
      stream.advance();
    }
  }
}

}  // namespace contextual::kernels::test
