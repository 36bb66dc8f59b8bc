// error: a launcher without one call operator (a generic lambda, say) does not tell its signature
#include "tiles.hpp"

int main() {
  contextual::TunableKernel kernel{"scale",
                                   tiles(),
                                   [](int n) { return contextual::make_key(n); },
                                   [](const Tile&, auto) {},
                                   {.key_names = {"N"}}};
}
