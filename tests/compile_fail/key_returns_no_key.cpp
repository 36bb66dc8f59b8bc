// error: the key function of a tunable kernel takes what the launcher takes after the config
#include "tiles.hpp"

#include <string>

int main() {
  contextual::TunableKernel kernel{"scale",
                                   tiles(),
                                   [](int n) { return std::to_string(n); },
                                   [](const Tile&, int) {},
                                   {.key_names = {"N"}}};
}
