#include "support/engine.hpp"
#include "support/threads.hpp"

#include <contextual/config_space.hpp>

#include <limits>

namespace contextual::config_space_test {

namespace {

struct GemmConfig {
  int block_n = 128;
  int num_sms = 132;
  int untuned = 7;
  bool operator==(const GemmConfig&) const = default;
};

ConfigSpace<GemmConfig> gemm_space() {
  return ConfigSpace<GemmConfig>{{"BLOCK_N", &GemmConfig::block_n, {128, 256}},
                                 {"NUM_SMS", &GemmConfig::num_sms, {132, 116, 108}}};
}

template <typename C>
std::vector<std::string> texts(const ConfigSpace<C>& space) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < space.size(); ++i) {
    result.push_back(space.describe(i));
  }
  return result;
}

}  // namespace

TEST_CASE("config space: default first, then the last parameter changes fastest") {
  REQUIRE(texts(gemm_space()) ==
          std::vector<std::string>{"{BLOCK_N: 128, NUM_SMS: 132}", "{BLOCK_N: 128, NUM_SMS: 116}",
                                   "{BLOCK_N: 128, NUM_SMS: 108}", "{BLOCK_N: 256, NUM_SMS: 132}",
                                   "{BLOCK_N: 256, NUM_SMS: 116}", "{BLOCK_N: 256, NUM_SMS: 108}"});
}

TEST_CASE("config space: a default in the middle moves to the front, the rest keeps its order") {
  const auto space = gemm_space().default_config({256, 132});
  REQUIRE(space.size() == 6);
  REQUIRE(space.cardinality() == 6);
  REQUIRE(space[0] == GemmConfig{256, 132});
  REQUIRE(space[1] == GemmConfig{128, 132});
  REQUIRE(space[4] == GemmConfig{256, 116});
}

TEST_CASE("config space: a default that is no candidate is added as config 0") {
  const auto space = gemm_space().default_config({64, 1, 99});
  REQUIRE(space.size() == 7);
  REQUIRE(space.cardinality() == 6);
  REQUIRE(space[0] == GemmConfig{64, 1, 99});
  REQUIRE(space[1] == GemmConfig{128, 132, 99});  // members without a parameter follow the default
}

TEST_CASE("config space: constraints exclude candidates") {
  auto space = gemm_space();
  space
      .constraint("few SMs for wide tiles",
                  [](const GemmConfig& c) { return c.block_n < 256 || c.num_sms < 120; })
      .constraint("not 108", [](const GemmConfig& c) { return c.num_sms != 108; });
  REQUIRE(texts(space) == std::vector<std::string>{"{BLOCK_N: 128, NUM_SMS: 132}",
                                                   "{BLOCK_N: 128, NUM_SMS: 116}",
                                                   "{BLOCK_N: 256, NUM_SMS: 116}"});
  REQUIRE(space.cardinality() == 6);
}

TEST_CASE("config space: an explicit list is the space, and its first config the default") {
  const std::vector<GemmConfig> listed{{256, 100, 5}, {128, 132}, {64, 90}};
  const auto space = ConfigSpace<GemmConfig>::list(
      {{"BLOCK_N", &GemmConfig::block_n}, {"NUM_SMS", &GemmConfig::num_sms}}, listed);
  REQUIRE(space.cardinality() == 3);
  REQUIRE(space.configs() == listed);
  const auto without_initialisers = ConfigSpace<GemmConfig>::list(
      {{"BLOCK_N", &GemmConfig::block_n}, {"NUM_SMS", &GemmConfig::num_sms}}, {{256, 100}, {64, 90}});
  REQUIRE(texts(without_initialisers) ==
          std::vector<std::string>{"{BLOCK_N: 256, NUM_SMS: 100}", "{BLOCK_N: 64, NUM_SMS: 90}"});
  const auto added = gemm_space().explicit_list({{256, 100}}).default_config({1, 2});
  REQUIRE(texts(added) ==
          std::vector<std::string>{"{BLOCK_N: 1, NUM_SMS: 2}", "{BLOCK_N: 256, NUM_SMS: 100}"});
}

TEST_CASE("config space: members of every type, also of a base, become values") {
  enum class Layout : std::uint8_t { row, column };
  enum class Switch : bool { off, on };
  struct Base {
    float alpha = 0.5F;
  };
  struct Wide : Base {
    bool swizzle = false;
    std::size_t bytes = 1024;
    Layout layout = Layout::column;
    std::string impl = "mma";
    Switch fused = Switch::off;
  };
  const ConfigSpace<Wide> space{
      {"ALPHA", &Wide::alpha, {0.5F}},        {"SWIZZLE", &Wide::swizzle, {true, false}},
      {"BYTES", &Wide::bytes, {1024, 2048}},  {"LAYOUT", &Wide::layout, {Layout::row, Layout::column}},
      {"IMPL", &Wide::impl, {"simt", "mma"}}, {"FUSED", &Wide::fused, {Switch::off, Switch::on}}};
  REQUIRE(space.size() == 32);
  REQUIRE(
      space.to_config(0) ==
      Config{
          {"ALPHA", 0.5}, {"SWIZZLE", false}, {"BYTES", 1024}, {"LAYOUT", 1}, {"IMPL", "mma"}, {"FUSED", 0}});
  REQUIRE(
      space.to_config(1) ==
      Config{
          {"ALPHA", 0.5}, {"SWIZZLE", true}, {"BYTES", 1024}, {"LAYOUT", 0}, {"IMPL", "simt"}, {"FUSED", 0}});
  REQUIRE(space.to_config(2).get<int>("FUSED") == 1);
  REQUIRE(space[2].fused == Switch::on);
}

TEST_CASE("config space: digest depends on names, values and order only") {
  REQUIRE(gemm_space().digest() == gemm_space().digest());
  REQUIRE(gemm_space().digest() == 0x3c814211d7c278f7ULL);  // the same in every run and on every platform
  const ConfigSpace<GemmConfig> renamed{{"BLOCK", &GemmConfig::block_n, {128, 256}},
                                        {"NUM_SMS", &GemmConfig::num_sms, {132, 116, 108}}};
  const ConfigSpace<GemmConfig> reordered{{"BLOCK_N", &GemmConfig::block_n, {128, 256}},
                                          {"NUM_SMS", &GemmConfig::num_sms, {132, 108, 116}}};
  REQUIRE(renamed.digest() != gemm_space().digest());
  REQUIRE(reordered.digest() != gemm_space().digest());
  REQUIRE(gemm_space().default_config({256, 132}).digest() != gemm_space().digest());
}

TEST_CASE("config space: refinements follow all others, under the same constraints") {
  const auto space = gemm_space()
                         .refine({"NUM_SMS", &GemmConfig::num_sms, {124, 112, 100}})
                         .constraint("large tiles leave room", [](const GemmConfig& config) {
                           return config.block_n == 128 || config.num_sms < 124 || config.num_sms == 132;
                         });
  REQUIRE(space.size() == 6 + 5);
  REQUIRE(space.refinement_count() == 5);
  REQUIRE(space.cardinality() == 6);
  std::vector<int> sms_of_large;
  for (std::size_t id = 6; id < space.size(); ++id) {
    if (space[id].block_n == 256) {
      sms_of_large.push_back(space[id].num_sms);
    }
  }
  REQUIRE(sms_of_large == std::vector<int>{112, 100});
  REQUIRE(space.view().refinement_count == 5);
  for (std::size_t id = 0; id < 6; ++id) {
    REQUIRE(space.to_config(id) == gemm_space().to_config(id));
  }
  REQUIRE(space.digest() != gemm_space().digest());
}

TEST_CASE("config space: a refinement and a value are different spaces") {
  const ConfigSpace<GemmConfig> all{{"BLOCK_N", &GemmConfig::block_n, {128}},
                                    {"NUM_SMS", &GemmConfig::num_sms, {132, 116, 124}}};
  const ConfigSpace<GemmConfig> coarse{{"BLOCK_N", &GemmConfig::block_n, {128}},
                                       {"NUM_SMS", &GemmConfig::num_sms, {132, 116}}};
  const auto refined = ConfigSpace<GemmConfig>(coarse).refine({"NUM_SMS", &GemmConfig::num_sms, {124}});
  REQUIRE(refined.view().configs == all.view().configs);
  REQUIRE(refined.digest() != all.digest());
}

TEST_CASE("config space: a default among the refinements is config 0 only") {
  const auto space =
      gemm_space().default_config({128, 124}).refine({"NUM_SMS", &GemmConfig::num_sms, {124, 112}});
  REQUIRE(space.size() == 1 + 6 + 3);
  REQUIRE(space.refinement_count() == 3);
  REQUIRE(space[0].num_sms == 124);
}

TEST_CASE("config space: refinements that make no sense are refused") {
  const auto message_of = [](const ConfigSpace<Config>& space) {
    return test::error_text<ConfigSpaceError>([&] { space.validate(); });
  };
  const ConfigSpace<Config> space{{"BLOCK", {64, 128}}, {"IMPL", {"mma", "simt"}}};
  const auto refined = [&](ConfigSpace<Config>::Parameter values) {
    return ConfigSpace<Config>(space).refine(std::move(values));
  };
  CHECK(message_of(refined({"BLOCK", {96}})) == "[no error]");
  CHECK_THAT(message_of(refined({"BLOK", {96}})), ContainsSubstring("no parameter \"BLOK\" to refine"));
  CHECK_THAT(message_of(refined({"BLOCK", {64}})), ContainsSubstring("duplicate value 64"));
  CHECK_THAT(message_of(refined({"BLOCK", {0.5}})), ContainsSubstring("different types"));
  CHECK_THAT(message_of(refined({"IMPL", {"wgmma"}})), ContainsSubstring("no numbers"));
  CHECK_THAT(message_of(refined({"BLOCK", {96}}).refine({"BLOCK", {80}})),
             ContainsSubstring("refined twice"));
  CHECK(message_of(refined({"BLOCK", {96}}).explicit_list({Config{{"BLOCK", 96}, {"IMPL", "mma"}}})) ==
        "[no error]");
  CHECK_THAT(message_of(ConfigSpace<Config>::list({Config{{"BLOCK", 64}}}).refine({"BLOCK", {96}})),
             ContainsSubstring("the configs are listed"));
}

TEST_CASE("config space: the view has every config as names and values") {
  const auto space = gemm_space();
  const SpaceView view = space.view();
  REQUIRE(view.size == 6);
  REQUIRE(view.configs.size() == 6);
  REQUIRE(view.digest == space.digest());
  REQUIRE(view.configs[3] == space.to_config(3));
}

TEST_CASE("config space: cardinality is known without generating and saturates") {
  std::vector<int> many(100'000);
  for (std::size_t i = 0; i < many.size(); ++i) {
    many[i] = static_cast<int>(i);
  }
  const ConfigSpace<GemmConfig> two{{"A", &GemmConfig::block_n, many}, {"B", &GemmConfig::num_sms, many}};
  REQUIRE(two.cardinality() == 10'000'000'000ULL);
  const ConfigSpace<GemmConfig> five{{"A", &GemmConfig::block_n, many},
                                     {"B", &GemmConfig::num_sms, many},
                                     {"C", &GemmConfig::untuned, many},
                                     {"D", &GemmConfig::untuned, many}};
  REQUIRE(five.cardinality() == std::numeric_limits<std::uint64_t>::max());
  REQUIRE(ConfigSpace<GemmConfig>{}.cardinality() == 0);
}

TEST_CASE("config space: constraints run once, copies share the result, a change makes it anew") {
  int calls = 0;
  auto space = gemm_space().constraint("counted", [&](const GemmConfig&) {
    ++calls;
    return true;
  });
  space.validate();
  const int once = calls;
  REQUIRE(once > 0);
  auto copy = space;
  REQUIRE(copy.size() == 6);
  REQUIRE(space.digest() == copy.digest());
  REQUIRE(calls == once);
  copy.constraint("128 only", [](const GemmConfig& c) { return c.block_n == 128; });
  REQUIRE(copy.size() == 3);
  REQUIRE(space.size() == 6);
}

TEST_CASE("config space: threads that use it first at the same time see one result") {
  std::atomic<int> calls = 0;
  const auto space = gemm_space().constraint("counted", [&](const GemmConfig&) { return ++calls > 0; });
  std::vector<const GemmConfig*> first(4);
  test::on_threads(4, [&](std::size_t thread) { first[thread] = &space[0]; });
  REQUIRE(first == std::vector<const GemmConfig*>(4, &space[0]));
  REQUIRE(calls == 7);  // the default and 6 candidates
}

TEST_CASE("config space: an index out of range throws and says the range") {
  REQUIRE_THROWS_AS(gemm_space()[6], InvalidArgument);
  REQUIRE_THROWS_WITH(gemm_space().describe(6), ContainsSubstring("no config 6, only 0 to 5"));
}

TEST_CASE("dynamic config space: the first values are the default, handles read them") {
  const ConfigSpace<Config> space{{"BLOCK", {64, 128}}, {"IMPL", {"mma", "simt"}}, {"SWIZZLE", {true}}};
  REQUIRE(texts(space) == std::vector<std::string>{"{BLOCK: 64, IMPL: mma, SWIZZLE: true}",
                                                   "{BLOCK: 64, IMPL: simt, SWIZZLE: true}",
                                                   "{BLOCK: 128, IMPL: mma, SWIZZLE: true}",
                                                   "{BLOCK: 128, IMPL: simt, SWIZZLE: true}"});
  const auto block = space.param<int>("BLOCK");
  const auto impl = space.param<std::string>("IMPL");
  REQUIRE(impl.position() == 1);
  REQUIRE(space[3][block] == 128);
  REQUIRE(space[3][impl] == "simt");
  REQUIRE_THROWS_WITH(space[0][space.param<int>("BLOK")], ContainsSubstring("BLOCK, IMPL, SWIZZLE"));
}

TEST_CASE("dynamic config space: default and constraints") {
  const auto space = ConfigSpace<Config>{{"BLOCK", std::vector<int>{64, 128}}, {"STAGES", {2, 3}}}
                         .default_config(Config{{"STAGES", 3}, {"BLOCK", 128}})
                         .constraint("small", [](const Config& c) {
                           return c.get<int>("BLOCK") * c.get<int>("STAGES") != 192;
                         });
  REQUIRE(texts(space) == std::vector<std::string>{"{BLOCK: 128, STAGES: 3}", "{BLOCK: 64, STAGES: 2}",
                                                   "{BLOCK: 128, STAGES: 2}"});
}

TEST_CASE("dynamic config space: a list alone names the parameters") {
  const auto space = ConfigSpace<Config>::list({Config{{"A", 1}, {"B", "x"}}, Config{{"B", "y"}, {"A", 2}}});
  REQUIRE(texts(space) == std::vector<std::string>{"{A: 1, B: x}", "{A: 2, B: y}"});
  REQUIRE(space[1][space.param<std::string>("B")] == "y");
}

}  // namespace contextual::config_space_test
