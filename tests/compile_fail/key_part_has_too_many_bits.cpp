// error: a key part is an integer, an enumerator, a bool, a floating-point number, text, or an ordered range
// standard: gnu++20
#include "tiles.hpp"

int main() {
  contextual::TunableKernel kernel{"scale",
                                   tiles(),
                                   [](int n) { return contextual::make_key(static_cast<__int128>(n) << 70); },
                                   [](const Tile&, int) {},
                                   {.key_names = {"N"}}};
}
