#pragma once

/// \file
/// What a process says on stderr.

#include "support/engine.hpp"

#include <fcntl.h>

#include <cstdio>

namespace contextual::test {

/// While it lives stderr goes into a file.
class StderrCapture {
 public:
  StderrCapture() : saved_(::dup(STDERR_FILENO)) {
    const int file = ::open(path().c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    ::dup2(file, STDERR_FILENO);
    ::close(file);
  }
  StderrCapture(const StderrCapture&) = delete;
  StderrCapture& operator=(const StderrCapture&) = delete;
  ~StderrCapture() {
    std::fflush(stderr);
    ::dup2(saved_, STDERR_FILENO);
    ::close(saved_);
  }
  std::string text() const {
    std::fflush(stderr);
    return text_of_file(path());
  }

 private:
  std::filesystem::path path() const { return folder_.path() / "stderr"; }

  TemporaryDirectory folder_;
  int saved_;
};

}  // namespace contextual::test

namespace engine_test = contextual::test;
