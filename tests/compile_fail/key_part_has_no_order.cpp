// error: a key part is an integer, an enumerator, a bool, a floating-point number, text, or an ordered range
#include "tiles.hpp"

#include <unordered_map>

int main() {
  contextual::TunableKernel kernel{"scale",
                                   tiles(),
                                   [](int n) {
                                     return contextual::make_key(std::unordered_map<int, int>{{n, n}});
                                   },
                                   [](const Tile&, int) {},
                                   {.key_names = {"N"}}};
}
