#include "contextual/storage/choice_set.hpp"
#include "support/catch.hpp"

namespace joined_sets_test {

using namespace contextual::storage;
using contextual::make_key;
using contextual::SearchLevel;
using contextual::detail::Machine;

namespace {

const Machine machine{{"devices", "GPU"}, {"library", "1"}, {"processor", "x86"}};

KeptChoice choice_of(const std::string& kernel, int key, std::size_t config_id, std::uint64_t digest = 1) {
  KeptChoice choice;
  choice.kernel = kernel;
  choice.key = make_key(key);
  choice.key_text = std::to_string(key);
  choice.launched = {{kernel, digest}};
  choice.config_count = 100;
  choice.config_id = config_id;
  choice.runs = {0};
  return choice;
}

ChoiceSet set_of(const std::vector<KeptChoice>& choices) {
  ChoiceSet entry;
  entry.machines = {machine, machine};
  entry.choices = choices;
  return entry;
}

const Present here{{machine, machine}};

/// What each set has chosen: "kernel(key)=config".
std::vector<std::vector<std::string>> texts_of(const std::vector<ChoiceSet>& sets) {
  std::vector<std::vector<std::string>> texts;
  for (const ChoiceSet& set : sets) {
    std::vector<std::string>& text = texts.emplace_back();
    for (const KeptChoice& choice : set.choices) {
      text.push_back(choice.kernel + "(" + choice.key_text + ")=" + std::to_string(choice.config_id));
    }
  }
  return texts;
}

using Texts = std::vector<std::vector<std::string>>;

/// The sets after these have come one after the other.
std::vector<ChoiceSet> kept(const std::vector<ChoiceSet>& one_by_one, const Present& now = here) {
  std::vector<ChoiceSet> sets;
  for (const ChoiceSet& set : one_by_one) {
    add_newest(sets, set, now, {});
  }
  return sets;
}

/// Whether a set takes another one in.
bool go_together(const ChoiceSet& one, const ChoiceSet& other) {
  const bool together = kept({one, other}).size() == 1;
  REQUIRE((kept({other, one}).size() == 1) == together);
  return together;
}

}  // namespace

TEST_CASE("add_newest: sets with another build of a kernel do not go together") {
  const ChoiceSet one = set_of({choice_of("f", 1, 2), choice_of("g", 0, 4)});
  CHECK(go_together(one, one));
  CHECK(go_together(one, set_of({choice_of("f", 2, 7), choice_of("g", 0, 5)})));
  CHECK(go_together(one, set_of({choice_of("h", 1, 9, 99)})));
  CHECK(go_together(one, set_of({})));
  CHECK_FALSE(go_together(one, set_of({choice_of("g", 0, 4, 99)})));
  CHECK_FALSE(go_together(one, set_of({choice_of("g", 7, 4, 99)})));
}

TEST_CASE("add_newest: a kernel that looks different on other ranks is no other build") {
  const auto on = [](std::vector<std::size_t> ranks, int key, std::uint64_t digest) {
    KeptChoice choice = choice_of("own", key, 1, digest);
    choice.ranks = std::move(ranks);
    return set_of({choice});
  };
  CHECK(go_together(on({0}, 0, 1), on({1}, 1, 2)));
  CHECK_FALSE(go_together(on({0, 1}, 0, 1), on({1}, 1, 2)));
  CHECK_FALSE(go_together(on({}, 0, 1), on({1}, 1, 2)));
}

TEST_CASE("add_newest: a coupling is known by all of its kernels, in whatever order") {
  KeptChoice pair = choice_of("pair", 1, 2);
  pair.coupling = "pair";
  pair.launched = {{"p", 1}, {"q", 1}};
  KeptChoice swapped = pair;
  std::swap(swapped.launched[0], swapped.launched[1]);
  CHECK(go_together(set_of({pair}), set_of({swapped})));
  KeptChoice alone = pair;
  alone.key = make_key(2);
  alone.launched.pop_back();
  CHECK_FALSE(go_together(set_of({pair}), set_of({alone})));
}

TEST_CASE("add_newest: what was chosen beside something that is chosen otherwise now is gone") {
  const ChoiceSet first = set_of({choice_of("stays", 0, 1), choice_of("varies", 2, 20)});
  const ChoiceSet second = set_of({choice_of("stays", 0, 1), choice_of("varies", 3, 30)});
  const ChoiceSet alone = set_of({choice_of("other", 0, 4)});
  const auto after = [&](const ChoiceSet& newest) { return texts_of(kept({first, second, alone, newest})); };
  CHECK(after(set_of({choice_of("stays", 0, 2), choice_of("varies", 4, 40)})) ==
        Texts{{"stays(0)=2", "varies(4)=40", "other(0)=4"}});
  // `stays` and the third key were also chosen without the second one.
  CHECK(after(set_of({choice_of("varies", 2, 21)})) ==
        Texts{{"varies(2)=21", "other(0)=4", "stays(0)=1", "varies(3)=30"}});
  CHECK(after(set_of({choice_of("other", 0, 5)})) ==
        Texts{{"other(0)=5", "stays(0)=1", "varies(3)=30", "varies(2)=20"}});
  CHECK(texts_of(kept({first, set_of({choice_of("varies", 2, 21)})})) == Texts{{"varies(2)=21"}});
}

TEST_CASE("add_newest: a run that comes again and again leaves one trace") {
  const ChoiceSet job = set_of({choice_of("stays", 0, 1), choice_of("varies", 2, 20)});
  const ChoiceSet other = set_of({choice_of("stays", 0, 1), choice_of("varies", 3, 30)});
  const auto sets = kept({job, other, job, other, job, other, job});
  REQUIRE(sets.size() == 1);
  REQUIRE(sets[0].choices.size() == 3);
  CHECK(sets[0].choices[0].runs.size() == 2);
  CHECK(sets[0].choices[1].runs.size() == 1);
  CHECK(sets[0].choices[2].runs.size() == 1);
}

TEST_CASE("add_newest: sets of other machines, versions, pins and those that were refused stay behind it") {
  ChoiceSet older = set_of({choice_of("f", 1, 2)});
  Present now = here;
  const auto counts = [&] {
    const auto sets = kept({set_of({choice_of("g", 0, 4)})});
    std::vector<ChoiceSet> all{older};
    add_newest(all, sets[0], now, {});
    return all.size() == 1 && all[0].choices.size() == 2;
  };
  CHECK(counts());
  now.refused = {id_of(older)};
  CHECK_FALSE(counts());
  now.refused = {"another"};
  CHECK(counts());
  for (const char* part : {"devices", "library", "ranks on this machine"}) {
    ChoiceSet elsewhere = older;
    elsewhere.machines[1][part] = "another";
    std::swap(older, elsewhere);
    CHECK_FALSE(counts());
    std::swap(older, elsewhere);
  }
  older.machines.pop_back();
  CHECK_FALSE(counts());
  older.machines.push_back(machine);
  older.beside_pins = "1";
  CHECK_FALSE(counts());
}

TEST_CASE("add_newest: what was chosen beside pins and without goes together while the pins are the same") {
  ChoiceSet pinned = set_of({choice_of("f", 1, 2)});
  pinned.beside_pins = "1";
  const ChoiceSet free = set_of({choice_of("g", 0, 4)});
  const Present now{here.machines, "1"};
  auto sets = kept({pinned, free}, now);
  CHECK(texts_of(sets) == Texts{{"g(0)=4", "f(1)=2"}});
  CHECK(sets[0].beside_pins == "1");
  sets = kept({free, pinned}, now);
  CHECK(texts_of(sets) == Texts{{"f(1)=2", "g(0)=4"}, {"g(0)=4"}});  // which counts without pins, too
}

TEST_CASE("add_newest: what depends on no processor goes together with what does") {
  ChoiceSet on_device = set_of({choice_of("device", 1, 2)});
  for (Machine& one : on_device.machines) {
    one.erase("processor");
  }
  const ChoiceSet on_host = set_of({choice_of("host", 0, 4)});
  auto sets = kept({on_device, on_host});
  CHECK(texts_of(sets) == Texts{{"host(0)=4", "device(1)=2"}, {"device(1)=2"}});
  CHECK(sets[0].machines == here.machines);
  sets = kept({on_host, on_device});
  CHECK(texts_of(sets) == Texts{{"device(1)=2", "host(0)=4"}});
  CHECK(sets[0].machines == here.machines);
}

TEST_CASE("add_newest: takes in what is shipped, and does not keep it beside itself") {
  std::vector<ChoiceSet> sets;
  const std::vector<ChoiceSet> shipped =
      kept({set_of({choice_of("f", 1, 3), choice_of("f", 3, 30)}), set_of({choice_of("f", 2, 20)})});
  REQUIRE(shipped.size() == 1);
  add_newest(sets, set_of({choice_of("f", 1, 2)}), here, shipped);
  CHECK(texts_of(sets) == Texts{{"f(1)=2", "f(2)=20"}});
}

TEST_CASE("add_newest: what was reused keeps the reason, times, search and outputs of when it was chosen") {
  ChoiceSet first = set_of({choice_of("f", 1, 10)});
  first.choices[0].reason = "it was fast";
  first.choices[0].time_ns = 70;
  first.choices[0].time_spread_ns = 3;
  first.choices[0].search = SearchLevel::thorough;
  first.choices[0].outputs = {"out"};
  first.infeasible = {{"f config-4", "it hung"}};
  ChoiceSet second = set_of({choice_of("f", 2, 20), choice_of("f", 1, 10)});
  second.infeasible = {{"f config-5", "it hung"}};
  second.choices[1].reason = "locked in by an earlier run";
  second.choices[1].reused = true;
  auto sets = kept({first, second});
  REQUIRE(sets.size() == 1);
  KeptChoice expected = first.choices[0];
  expected.runs = sets[0].choices[1].runs;
  CHECK(sets[0].choices[1] == expected);
  CHECK(sets[0].infeasible ==
        std::vector<contextual::KeptInfeasible>{{"f config-5", "it hung"}, {"f config-4", "it hung"}});
  second.choices[1].reused = false;  // measured anew
  sets = kept({first, second});
  CHECK(sets[0].choices[1].reason == "locked in by an earlier run");
  CHECK(sets[0].choices[1].search == SearchLevel::off);
  CHECK(sets[0].choices[1].outputs.empty());
}

TEST_CASE("add_newest: the ranks of a choice come together") {
  const auto on = [](std::vector<std::size_t> ranks) {
    ChoiceSet entry = set_of({choice_of("own", 1, 1)});
    entry.choices[0].ranks = std::move(ranks);
    return entry;
  };
  CHECK(kept({on({0}), on({1})})[0].choices[0].ranks == std::vector<std::size_t>{0, 1});
  CHECK(kept({on({}), on({1})})[0].choices[0].ranks.empty());
  CHECK(kept({on({1}), on({})})[0].choices[0].ranks.empty());
}

TEST_CASE("add_newest: sets of other builds and versions stay behind it, the newest up to a number") {
  std::vector<ChoiceSet> sets;
  ChoiceSet elsewhere = set_of({choice_of("k", 2, 99)});
  elsewhere.machines[0]["devices"] = "another";
  add_newest(sets, elsewhere, {elsewhere.machines}, {});
  for (std::uint64_t build = 0; build < 2 * most_beside; ++build) {
    ChoiceSet set = set_of({choice_of("k", 1, build, build)});
    set.machines[0]["library"] = std::to_string(build % 2);
    for (int start = 0; start < 2; ++start) {
      add_newest(sets, set, {set.machines}, {});
    }
  }
  REQUIRE(sets.size() == most_beside + 2);
  CHECK(sets[0].choices[0].config_id == 2 * most_beside - 1);
  CHECK(sets[most_beside].choices[0].config_id == most_beside - 1);
  CHECK(sets.back().choices[0].config_id == 99);  // of another machine
}

TEST_CASE("add_by_age: between newer and older ones, as far as newer ones leave anything of it") {
  const auto written = [](const std::string& when, ChoiceSet set) {
    set.written = when;
    return set;
  };
  const ChoiceSet older = written("1", set_of({choice_of("f", 1, 1, 7)}));
  const ChoiceSet newer = written("5", set_of({choice_of("f", 1, 5)}));
  std::vector<ChoiceSet> sets{newer, older};
  CHECK_FALSE(add_by_age(sets, newer));
  CHECK_FALSE(add_by_age(sets, written("3", set_of({choice_of("f", 1, 3)}))));
  CHECK(add_by_age(sets, written("3", set_of({choice_of("f", 2, 3)}))));
  CHECK(texts_of(sets) == Texts{{"f(1)=5", "f(2)=3"}, {"f(1)=1"}});
  CHECK(add_by_age(sets, written("4", set_of({choice_of("f", 3, 4, 8)}))));
  CHECK(texts_of(sets) == Texts{{"f(1)=5", "f(2)=3"}, {"f(3)=4"}, {"f(1)=1"}});
  CHECK(add_by_age(sets, written("9", set_of({choice_of("f", 4, 9)}))));
  CHECK(texts_of(sets) == Texts{{"f(4)=9", "f(1)=5", "f(2)=3"}, {"f(3)=4"}, {"f(1)=1"}});
}

}  // namespace joined_sets_test
