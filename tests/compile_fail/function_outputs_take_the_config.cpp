// error: FunctionOptions::outputs is called as std::vector<Output>(Args&...)
#include "tiles.hpp"

int main() {
  auto scale = contextual::autotune(
      "scale", tiles(), [](const float*, int n) { return contextual::make_key(n); },
      [](const Tile&, float*, int) {},
      {.outputs = [](const Tile&, float*, int) { return std::vector<contextual::Output>(); }});
}
