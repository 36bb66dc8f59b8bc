// error: a key part is an integer, an enumerator, a bool, a floating-point number, text, or an ordered range
#include "tiles.hpp"

#include <ranges>
#include <unordered_map>

int main() {
  contextual::TunableKernel kernel{"scale",
                                   tiles(),
                                   [](int n) {
                                     const std::unordered_map<int, int> sizes{{n, n}};
                                     return contextual::make_key(std::views::keys(sizes));
                                   },
                                   [](const Tile&, int) {},
                                   {.key_names = {"N"}}};
}
