#include "contextual/storage/choice_purpose.hpp"

#include "support/catch.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace choice_purpose_test {

using namespace contextual::storage;
using contextual::make_key;

namespace {

KeptChoice choice_of(const std::string& kernel, int key, std::size_t config_id, std::uint64_t digest = 1) {
  KeptChoice choice;
  choice.kernel = kernel;
  choice.key = make_key(key);
  choice.launched = {{kernel, digest}};
  choice.config_count = 10;
  choice.config_id = config_id;
  return choice;
}

ChoiceSet set_of(const std::vector<KeptChoice>& choices) {
  ChoiceSet entry;
  entry.machines = {"one", "two"};
  entry.choices = choices;
  return entry;
}

/// A kernel, a coupling and what one rank has chosen under its own key.
ChoiceSet example() {
  ChoiceSet entry = set_of({choice_of("gemm", 1, 3), choice_of("pair", 2, 1), choice_of("own", 3, 2)});
  entry.choices[1].launched = {{"send", 1}, {"receive", 2}};
  entry.choices[2].ranks = {1};
  return entry;
}

bool contradict(const ChoiceSet& a, const ChoiceSet& b) {
  const bool contradicts = ChoicePurpose(a).contradicts(ChoicePurpose(b));
  REQUIRE(ChoicePurpose(b).contradicts(ChoicePurpose(a)) == contradicts);
  return contradicts;
}

bool replaces(const ChoiceSet& newer, const ChoiceSet& older) {
  return ChoicePurpose(newer).replaces(ChoicePurpose(older));
}

}  // namespace

TEST_CASE("ChoicePurpose: replaces that of the same machines whose problems it has, whatever was chosen",
          "[unit]") {
  ChoiceSet older = example();
  older.choices[0].config_id = 1;
  older.written = "earlier";
  CHECK(replaces(example(), older));
  older.choices.erase(older.choices.begin());
  CHECK(replaces(example(), older));
  CHECK_FALSE(replaces(older, example()));
  const auto replaces_changed = [&](const auto& change) {
    ChoiceSet other = example();
    change(other);
    return replaces(example(), other);
  };
  CHECK_FALSE(replaces_changed([](ChoiceSet& other) { other.choices[0].scope = 9; }));
  CHECK_FALSE(replaces_changed([](ChoiceSet& other) { other.choices[1].key = make_key(1); }));
  CHECK_FALSE(replaces_changed([](ChoiceSet& other) { other.machines[1] = "another"; }));
  CHECK_FALSE(replaces_changed([](ChoiceSet& other) { other.choices[2].ranks = {0, 1}; }));
  CHECK_FALSE(replaces_changed([](ChoiceSet& other) { other.choices[1].launched[1].table_digest = 3; }));
  CHECK(replaces_changed(
      [](ChoiceSet& other) { std::swap(other.choices[1].launched[0], other.choices[1].launched[1]); }));
}

TEST_CASE("ChoicePurpose: sets contradict one another where they differ about a problem of both", "[unit]") {
  const ChoiceSet one = set_of({choice_of("f", 1, 2), choice_of("g", 0, 4)});
  CHECK_FALSE(contradict(one, one));
  CHECK_FALSE(contradict(one, set_of({choice_of("f", 2, 7), choice_of("g", 0, 4)})));
  CHECK_FALSE(contradict(one, set_of({choice_of("h", 1, 9)})));
  CHECK_FALSE(contradict(one, set_of({})));
  CHECK(contradict(one, set_of({choice_of("f", 2, 7), choice_of("g", 0, 5)})));
  CHECK(contradict(one, set_of({choice_of("a", 2, 7), choice_of("f", 1, 3), choice_of("z", 2, 7)})));
  CHECK(contradict(one, set_of({choice_of("g", 0, 4, 99)})));
  KeptChoice alone = choice_of("g", 0, 4);
  alone.ranks = {1};
  CHECK_FALSE(contradict(one, set_of({alone})));
  alone.config_id = 5;
  CHECK(contradict(one, set_of({alone})));  // a rank launches what all agree on
}

TEST_CASE("ChoicePurpose: configs that say what they are differ by that, and not by their ids", "[unit]") {
  ChoiceSet one = set_of({choice_of("gemm", 1, 3)});
  one.choices[0].meaning = "tile 20";
  ChoiceSet other_id = set_of({choice_of("gemm", 1, 5)});
  other_id.choices[0].meaning = "tile 20";
  CHECK_FALSE(contradict(one, other_id));
  ChoiceSet other_config = set_of({choice_of("gemm", 1, 3)});
  other_config.choices[0].meaning = "tile 21";
  CHECK(contradict(one, other_config));
}

TEST_CASE("ChoicePurpose: replaces what it contradicts if it counts wherever that does", "[unit]") {
  const ChoiceSet older = set_of({choice_of("f", 1, 2), choice_of("g", 0, 4)});
  CHECK(replaces(set_of({choice_of("f", 1, 0), choice_of("g", 0, 0)}), older));  // covers it
  CHECK(replaces(set_of({choice_of("f", 2, 2), choice_of("g", 0, 5)}), older));
  CHECK(replaces(set_of({choice_of("g", 0, 5)}), older));
  CHECK_FALSE(replaces(set_of({choice_of("f", 2, 2), choice_of("g", 0, 4)}), older));  // both are used
  // Where h or f has been changed since, the older one is used.
  CHECK_FALSE(replaces(set_of({choice_of("g", 0, 5), choice_of("h", 0, 1)}), older));
  CHECK_FALSE(replaces(set_of({choice_of("f", 2, 2, 99), choice_of("g", 0, 5)}), older));
  CHECK_FALSE(replaces(set_of({choice_of("g", 0, 4, 99)}), older));
  KeptChoice both = choice_of("pair", 1, 2);
  both.coupling = "pair";
  both.launched = {{"p", 1}, {"q", 1}};
  KeptChoice one = both;
  one.config_id = 3;
  CHECK(replaces(set_of({one}), set_of({both, choice_of("f", 1, 2)})));
  one.launched.pop_back();  // where q exists, it does not count
  CHECK_FALSE(replaces(set_of({one}), set_of({both})));
  ChoiceSet elsewhere = set_of({choice_of("g", 0, 5)});
  elsewhere.machines[0] = "another";
  CHECK_FALSE(replaces(elsewhere, older));
}

}  // namespace choice_purpose_test
