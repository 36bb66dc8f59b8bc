/// \file
/// What a file costs its user that tunes nothing: measure.py compares the others with it.

#include <contextual/contextual.hpp>

#include <exception>
#include <iostream>

int main() try {
  contextual::ContextualAutotuner tuner{{.n_warmup = 1}};
  tuner.run("empty", [] {});
  const contextual::Report report = tuner.report();
  std::cout << report.find("empty")->to_string();
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
