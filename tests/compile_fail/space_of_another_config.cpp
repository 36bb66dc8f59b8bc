// error: the second argument of a tunable kernel is a ConfigSpace<C> of the launcher's config type C
#include "tiles.hpp"

int main() {
  contextual::TunableKernel kernel{"scale",
                                   tiles(),
                                   [](int n) { return contextual::make_key(n); },
                                   [](const OtherTile&, int) {},
                                   {.key_names = {"N"}}};
}
