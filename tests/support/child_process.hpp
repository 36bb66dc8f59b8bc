#pragma once

/// \file
/// Runs a test case of this program in a process of its own: for exit, and for the environment, which is
/// read once a process. And what a forked process does.

#include "support/engine.hpp"

#include <sys/wait.h>

#include <cstdlib>

namespace contextual::test {

inline constexpr const char* child_variable = "TEST_CHILD";

/// True in a process made by `run_child`, and notes that its test case was found; elsewhere the test cases of
/// children do nothing.
inline bool is_child() {
  const char* marker = std::getenv(child_variable);
  return marker != nullptr && std::ofstream(marker).is_open();
}

/// Runs `child` in a forked process for a minute at most. Returns the exit status, which `child` returns; 2
/// if it throws, -1 for a signal.
template <typename Child>
int exit_status_of_fork(Child&& child) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::alarm(60);
    int status = 2;
    try {
      status = child();
    } catch (...) {
    }
    ::_exit(status);
  }
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Runs the test case "child process: <name>" with these variables set. 0 when all its checks hold and the
/// process exited by itself; negative for a signal.
inline int run_child(const std::string& name,
                     const std::vector<std::pair<std::string, std::string>>& variables = {}) {
  const TemporaryDirectory directory;
  const std::string marker = (directory.path() / "found").string();
  const std::string test_case = "child process: " + name;
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::setenv(child_variable, marker.c_str(), 1);
    for (const auto& [variable, value] : variables) {
      ::setenv(variable.c_str(), value.c_str(), 1);
    }
    ::execl("/proc/self/exe", "child", test_case.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  CHECK(std::filesystem::exists(marker));
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace contextual::test

namespace engine_test = contextual::test;
