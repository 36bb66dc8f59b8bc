// error: a tuned region is called with what its region takes, as lvalues
#include "tiles.hpp"

#include <string>

int main() {
  contextual::ContextualAutotuner tuner;
  auto step = contextual::make_tuned_region(tuner, "step", [](int) {});
  step(std::string("a word"));
}
