// error: `run` calls its region without arguments
#include "tiles.hpp"

int main() {
  contextual::ContextualAutotuner tuner;
  tuner.run("scale", [](int) {});
}
