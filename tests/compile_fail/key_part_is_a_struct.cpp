// error: a key part is an integer, an enumerator, a bool, a floating-point number, text, or an ordered range
#include "tiles.hpp"

#include <vector>

struct Shape {
  int m = 0;
  int n = 0;
};

int main() {
  contextual::TunableKernel kernel{"scale",
                                   tiles(),
                                   [](int n) {
                                     return contextual::make_key(std::vector<Shape>{{n, n}});
                                   },
                                   [](const Tile&, int) {},
                                   {.key_names = {"N"}}};
}
