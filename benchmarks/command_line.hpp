#pragma once

/// \file
/// The main program of a benchmark.

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <string>

namespace contextual::benchmarks {

/// A command line whose help says all defaults.
class BenchmarkApp : public CLI::App {
 public:
  explicit BenchmarkApp(const std::string& what) : CLI::App(what) {
    option_defaults()->always_capture_default();
  }
};

/// Parses the command line, and calls `body`. Returns the program's exit code: that of `body`, or 1 with the
/// message when something throws.
template <typename Body>
int run_program(CLI::App& app, int argc, char** argv, const Body& body) {
  CLI11_PARSE(app, argc, argv);
  try {
    return body();
  } catch (const std::exception& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "failed: %s\n", error.what());
    return 1;
  }
}

}  // namespace contextual::benchmarks
