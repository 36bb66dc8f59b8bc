#include "support/catch.hpp"

#include <contextual/detail/launch/load_hook.hpp>

namespace contextual::detail::load_hook_test {

TEST_CASE("load: one that takes only the config is called with and without a key") {
  int calls = 0;
  const LoadHook<int> load = [&calls](const int& config) { calls += config; };
  CHECK_FALSE(load.needs_key());
  const Key key;
  load(3, &key);
  load(4, nullptr);
  CHECK(calls == 7);
  CHECK_FALSE(LoadHook<int>(nullptr).needs_key());
}

TEST_CASE("load: one that takes the key, too, is not called without one") {
  std::vector<Key> keys;
  const LoadHook<int> load = [&keys](const int&, const Key& key) { keys.push_back(key); };
  CHECK(load.needs_key());
  const Key key = make_key(5);
  load(3, nullptr);
  load(3, &key);
  CHECK(keys == std::vector<Key>{key});
}

}  // namespace contextual::detail::load_hook_test
