// error: the `keep` of an alternative is called as bool(const Args&...)
#include "tiles.hpp"

int main() {
  contextual::Alternatives<void(float*, int)> choice{
      "choice",
      [](const float*, int n) { return contextual::make_key(n); },
      {{"kept", [](float*, int) {}, [](int n) { return n > 1; }}, {"any", [](float*, int) {}}}};
}
