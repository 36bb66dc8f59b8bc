#include "contextual/storage/choice_set.hpp"

#include "support/catch.hpp"
#include "support/repetitions.hpp"

#include <contextual/detail/config/hex_text.hpp>
#include <contextual/detail/config/stable_hash.hpp>

#include <nlohmann/json.hpp>

#include <exception>
#include <random>

namespace choice_set_test {

using namespace contextual::storage;
using contextual::make_key;

namespace {

using Json = nlohmann::ordered_json;

/// An entry that was read, or why a text is none.
struct ParsedEntry {
  std::optional<ChoiceSet> entry{};
  std::string problem{};
};

ParsedEntry parse_entry(const std::string& text) {
  try {
    return {entry_of(text)};
  } catch (const std::exception& error) {
    return {{}, error.what()};
  }
}

ChoiceSet example() {
  ChoiceSet entry;
  entry.region = "layer \"1\"\n/..";
  entry.written = "2026-01-31T12:00:00Z";
  entry.machines = {{{"processor", "one"}}, {{"processor", "two"}}};
  entry.makespan_ns = 1'234'567;
  entry.choices.push_back({"gemm",
                           "",
                           make_key(4096, -1, true, 0.5, "bf16 and more"),
                           "(4096, ...)",
                           0,
                           {{"gemm", 0xfedcba9876543210ULL}},
                           8,
                           3,
                           R"({"TILE":64})",
                           "fastest by own time",
                           12'345,
                           67});
  entry.choices.push_back(
      {"pair", "pair", make_key(), "()", 7, {{"send", 1}, {"receive", 2}}, 2, 1, "{}", "tie", std::nullopt});
  entry.choices.push_back({"own",
                           "",
                           make_key(std::vector<int>(20, 3)),
                           "([3, ...])",
                           0,
                           {{"own", 3}},
                           4,
                           2,
                           "{}",
                           "alone",
                           7,
                           std::nullopt,
                           {1}});
  entry.choices[0].runs = {0, 3};
  entry.choices[1].search = contextual::SearchLevel::thorough;
  entry.choices[1].outputs = {"out", "more"};
  entry.choices[2].meaning = "the second one, \"so\"";
  entry.makespan_spread_ns = 890;
  entry.beside_pins = "00000000000000ff";
  entry.infeasible = {{"gemm (4096, ...) config-0, pair () config-1", "it \"hung\"\n"}, {"own config-3", ""}};
  return entry;
}

/// The text with one change.
std::string changed(std::string text, std::mt19937& random) {
  const std::size_t place = random() % text.size();
  switch (random() % 4) {
    case 0:
      text[place] = static_cast<char>(random());
      break;
    case 1:
      text.erase(place, 1 + random() % 20);
      break;
    case 2:
      text.insert(place, text.substr(random() % text.size(), random() % 20));
      break;
    default:
      text.resize(place);
  }
  return text;
}

}  // namespace

TEST_CASE("ChoiceSet: what is written is read") {
  const ParsedEntry parsed = parse_entry(to_json(example()));
  CHECK(parsed.problem.empty());
  REQUIRE(parsed.entry);
  CHECK(*parsed.entry == example());
}

TEST_CASE("ChoiceSet: a text that is not UTF-8 is kept as well as it can be") {
  ChoiceSet entry = example();
  entry.choices[0].reason = "bad \xff byte";
  const ParsedEntry parsed = parse_entry(to_json(entry));
  REQUIRE(parsed.entry);
  CHECK_THAT(parsed.entry->choices[0].reason, ContainsAll("bad ", " byte"));
}

TEST_CASE("ChoiceSet: a text with a change anywhere is refused, or means the same") {
  const std::string whole = to_json(example());
  const ChoiceSet expected = example();
  std::mt19937 random(1);
  int refused = 0;
  int wrong = 0;
  int unexplained = 0;
  for (int i = 0; i < contextual::test::repetitions(100'000); ++i) {
    const ParsedEntry parsed = parse_entry(changed(whole, random));
    if (parsed.entry) {
      wrong += *parsed.entry == expected ? 0 : 1;
    } else {
      ++refused;
      unexplained += parsed.problem.empty() ? 1 : 0;
    }
  }
  CHECK(refused > contextual::test::repetitions(100'000) / 4 * 3);
  CHECK(wrong == 0);
  CHECK(unexplained == 0);
}

TEST_CASE("ChoiceSet: a text without one of its fields is refused although its digest is right") {
  const Json whole = Json::parse(to_json(example()));
  const auto refused_with = [&](const Json& content) {
    Json entry = whole;
    entry["content"] = content;
    entry["digest"] = contextual::detail::hex_text(
        contextual::detail::StableHash().add(std::string_view(content.dump())).value());
    return !parse_entry(entry.dump()).entry;
  };
  const Json& content = whole.at("content");
  CHECK_FALSE(refused_with(content));
  const auto check_fields_of = [&](const Json::json_pointer& where) {
    for (const auto& field : content.at(where).items()) {
      Json without = content;
      without.at(where).erase(field.key());
      INFO(where.to_string() << " without " << field.key());
      CHECK(refused_with(without));
    }
  };
  check_fields_of(Json::json_pointer(""));
  check_fields_of(Json::json_pointer("/choices/1"));
  check_fields_of(Json::json_pointer("/choices/2"));
  check_fields_of(Json::json_pointer("/infeasible/0"));
}

TEST_CASE("ChoiceSet: configs that say what they are differ by that, and not by their ids") {
  KeptChoice one = example().choices[2];
  KeptChoice other = one;
  other.config_id = 3;
  CHECK(choice_digest(one) == choice_digest(other));
  other.meaning = "another";
  CHECK(choice_digest(one) != choice_digest(other));
  CHECK(problem_digest(one) == problem_digest(other));
}

TEST_CASE("ChoiceSet: its search is the highest of its choices") {
  CHECK(search_of(example()) == contextual::SearchLevel::thorough);
  ChoiceSet entry = example();
  entry.choices = {entry.choices[0]};
  CHECK(search_of(entry) == contextual::SearchLevel::off);
}

}  // namespace choice_set_test
