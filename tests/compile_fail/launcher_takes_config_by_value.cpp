// error: a launcher is called as R(const C&, Args...): it takes the config first, by const reference
#include "tiles.hpp"

int main() {
  contextual::TunableKernel kernel{"scale", tiles(), [](int n) { return contextual::make_key(n); },
                                   [](Tile, int) {}};
}
