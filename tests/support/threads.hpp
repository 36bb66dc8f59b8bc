#pragma once

/// \file
/// Threads that do the same.

#include <thread>
#include <vector>

namespace contextual::test {

/// Calls `body` with 0 to `count` - 1, each on a thread of its own, and waits for them.
template <typename Body>
void on_threads(int count, const Body& body) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&body, i] { body(i); });
  }
}

}  // namespace contextual::test
