// error: an alternative of Alternatives<R(Args...)> is called as R(Args&...)
#include "tiles.hpp"

int main() {
  contextual::Alternatives<void(float*, int)> choice{
      "choice",
      [](const float*, int n) { return contextual::make_key(n); },
      {{"fits", [](float*, int) {}}, {"does not", [](float*) {}}}};
}
