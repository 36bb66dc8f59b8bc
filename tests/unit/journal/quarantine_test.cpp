#include "contextual/journal/quarantine.hpp"

#include "support/catch.hpp"

namespace contextual::journal::quarantine_test {

namespace {

void die_of(Quarantine& quarantine, std::vector<std::string> running) {
  quarantine.about_to_run(std::move(running));
  quarantine.crash();
}

}  // namespace

TEST_CASE("quarantine: who was alone in flight at two deaths is in it") {
  Quarantine quarantine;
  CHECK(quarantine.empty());
  quarantine.crash();
  CHECK(quarantine.empty());
  die_of(quarantine, {"a"});
  CHECK(quarantine.suspect("a"));
  CHECK(!quarantine.quarantined("a"));
  CHECK(!quarantine.suspect("b"));
  die_of(quarantine, {"a"});
  CHECK(quarantine.quarantined("a"));
  CHECK(quarantine.quarantined() == std::vector<std::string>{"a"});
}

TEST_CASE("quarantine: of several in flight each is a suspect, however often") {
  Quarantine quarantine;
  for (int i = 0; i < 5; ++i) {
    die_of(quarantine, {"a", "b"});
  }
  CHECK(quarantine.suspect("a"));
  CHECK(quarantine.suspect("b"));
  CHECK(quarantine.quarantined().empty());
  die_of(quarantine, {"b"});
  CHECK(quarantine.quarantined() == std::vector<std::string>{"b"});
  die_of(quarantine, {"a", "b"});  // no step back
  CHECK(quarantine.quarantined("b"));
}

TEST_CASE("quarantine: who has run alone and well is no suspect any more, but who is in it stays") {
  Quarantine quarantine;
  die_of(quarantine, {"a", "b"});
  quarantine.about_to_run({"a", "b"});
  quarantine.came_back();
  CHECK(quarantine.suspect("a"));
  quarantine.about_to_run({"a"});
  quarantine.came_back();
  CHECK_FALSE(quarantine.suspect("a"));
  CHECK(quarantine.suspect("b"));
  die_of(quarantine, {"b"});
  quarantine.about_to_run({"b"});
  quarantine.came_back();
  CHECK(quarantine.quarantined("b"));
}

namespace {

/// Of two kernels, as a journal writes it.
std::string pair_of(int gemm, int copy) {
  return "[[\"gemm\",\"(128)\",\"1f\"," + std::to_string(gemm) + "],[\"copy\",\"()\",\"2e\"," +
         std::to_string(copy) + "]]";
}
const std::string gemm_3 = "[[\"gemm\",\"(128)\",\"1f\",3]]";

}  // namespace

TEST_CASE(
    "quarantine: a config that two assignments share which ended a process is in it beside all others") {
  Quarantine quarantine;
  die_of(quarantine, {pair_of(3, 1)});
  CHECK(quarantine.suspect(pair_of(3, 2)));  // to be tried alone
  CHECK(quarantine.suspect(pair_of(2, 1)));
  CHECK_FALSE(quarantine.suspect(pair_of(2, 2)));
  die_of(quarantine, {pair_of(3, 2)});
  for (const int copy : {0, 1, 2, 7}) {
    CHECK(quarantine.quarantined(pair_of(3, copy)));
  }
  CHECK_FALSE(quarantine.quarantined(pair_of(2, 1)));
  CHECK_FALSE(quarantine.quarantined(pair_of(0, 2)));
  const std::vector<std::string> kept = quarantine.quarantined();
  CHECK(kept == std::vector<std::string>{gemm_3});
  Quarantine later;
  later.restore(kept);
  CHECK(later.quarantined(pair_of(3, 7)));
  CHECK_FALSE(later.quarantined(pair_of(0, 2)));
}

TEST_CASE("quarantine: a config that came back beside another one is not to blame, nor is a default") {
  Quarantine quarantine;
  quarantine.about_to_run({pair_of(3, 0)});
  quarantine.came_back();
  die_of(quarantine, {pair_of(3, 1)});
  die_of(quarantine, {pair_of(3, 2)});
  CHECK(quarantine.quarantined().empty());
  Quarantine of_defaults;
  die_of(of_defaults, {pair_of(0, 1)});
  die_of(of_defaults, {pair_of(0, 2)});
  CHECK(of_defaults.quarantined().empty());
}

TEST_CASE("quarantine: which of two shared configs it was is not guessed") {
  Quarantine quarantine;
  const std::string third = ",[\"norm\",\"()\",\"3d\",";
  const auto with = [&](int norm) {
    const std::string two = pair_of(3, 1);
    return two.substr(0, two.size() - 1) + third + std::to_string(norm) + "]]";
  };
  die_of(quarantine, {with(1)});
  die_of(quarantine, {with(2)});
  CHECK(quarantine.quarantined().empty());
  quarantine.about_to_run({pair_of(2, 1)});
  quarantine.came_back();
  die_of(quarantine, {with(4)});  // the other one has come back meanwhile
  CHECK(quarantine.quarantined(gemm_3));
}

TEST_CASE("quarantine: what ended otherwise is neither a death nor a good run") {
  Quarantine quarantine;
  quarantine.about_to_run({"a"});
  quarantine.did_not_run();
  quarantine.crash();
  CHECK(quarantine.empty());
  die_of(quarantine, {"a"});
  quarantine.about_to_run({"a"});
  quarantine.did_not_run();
  CHECK(quarantine.suspect("a"));
}

TEST_CASE("quarantine: what was in flight when the next process begins has ended the one before") {
  Quarantine quarantine;
  quarantine.begin("kernels");
  quarantine.about_to_run({"a"});
  quarantine.begin("kernels");
  CHECK(quarantine.suspect("a"));
  CHECK(quarantine.running().empty());
  quarantine.begin("kernels");
  CHECK_FALSE(quarantine.quarantined("a"));
}

TEST_CASE("quarantine: is forgotten with other kernels, whatever was in flight") {
  Quarantine quarantine;
  quarantine.begin("kernels");
  quarantine.restore({"a"});
  quarantine.about_to_run({"b"});
  quarantine.begin("other kernels");
  CHECK(quarantine.empty());
  CHECK(quarantine.kernels() == "other kernels");
}

}  // namespace contextual::journal::quarantine_test
