// error: the second argument of a tunable kernel is a ConfigSpace<C> of the launcher's config type C
#include "tiles.hpp"

#include <vector>

int main() {
  const std::vector<Tile> configs{{1}, {2}};
  contextual::TunableKernel kernel{"scale", configs, contextual::single_problem, [](const Tile&) {}};
}
