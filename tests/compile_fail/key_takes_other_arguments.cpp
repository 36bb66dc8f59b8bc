// error: the key function of a tunable kernel takes what the launcher takes after the config
#include "tiles.hpp"

int main() {
  contextual::TunableKernel kernel{"scale", tiles(), [](int n) { return contextual::make_key(n); },
                                   [](const Tile&, float*, int) {}};
}
