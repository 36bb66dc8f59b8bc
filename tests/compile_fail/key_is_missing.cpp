// error: a tunable kernel takes its name, config space, key and launcher: the key is missing
#include "tiles.hpp"

int main() {
  contextual::TunableKernel kernel{"scale", tiles(), [](const Tile&, float*, int) {}};
}
