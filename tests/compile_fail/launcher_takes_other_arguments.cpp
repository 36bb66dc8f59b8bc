// error: the launcher of a tunable kernel is called as R(const C&, Args&...)
#include "tiles.hpp"

int main() {
  contextual::TunableKernel<void(const Tile&, float*, int)> kernel{
      "scale", tiles(), contextual::single_problem, [](const Tile&, int, float*) {}};
}
