// error: a tunable kernel takes its name, config space, key and launcher: the key is missing
#include "tiles.hpp"

#include <contextual/function.hpp>

int main() {
  contextual::autotune("scale", tiles(), [](const Tile&, float*, int) {});
}
