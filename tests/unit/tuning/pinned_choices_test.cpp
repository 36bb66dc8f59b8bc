/// \file
/// Configs that a person has fixed in the cache directory.

#include "contextual/storage/choice_store.hpp"
#include "support/stderr_capture.hpp"
#include "unit/tuning/kept_process.hpp"

#include <contextual/detail/config/hex_text.hpp>
#include <contextual/detail/storage/trusted_folder.hpp>

#include <nlohmann/json.hpp>

#include <future>

namespace contextual::test::kept_test::pinned_choices_test {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t pinned = 1;

/// As a person writes it, beside what is there. Returns the file.
fs::path write_pin(const fs::path& directory, const std::string& region, const std::string& pins) {
  const storage::ChoiceStore store(directory, region);
  const fs::path path = store.path(store.name_of_pins());
  nlohmann::ordered_json json{{"format", 6}, {"region", region}};
  if (fs::exists(path)) {
    json = nlohmann::ordered_json::parse(text_of_file(path));
  }
  if (!json.contains("pins")) {
    json["pins"] = nlohmann::ordered_json::array();
  }
  for (const auto& pin : nlohmann::ordered_json::parse("[" + pins + "]")) {
    json["pins"].push_back(pin);
  }
  const detail::TrustedFolder folder(directory, storage::choices_folder);
  REQUIRE(folder.write(path.filename().string(), json.dump()).empty());
  return path;
}

fs::path pins_of(const Process& process) {
  const storage::ChoiceStore store(process.directory, process.region);
  return store.path(store.name_of_pins());
}

/// A process of two ranks, of which the pin is for the kernel.
Process with_pin(const TemporaryDirectory& directory, const std::string& kernel, const std::string& pin) {
  Process process{.ranks = 2, .directory = directory.path(), .only_on_rank_0 = true, .kernel = kernel};
  write_pin(directory.path(), process.region, pin);
  return process;
}

std::string pin_of(const std::string& kernel, const std::string& more) {
  return R"({"kernel": ")" + kernel + "\"" + more + "}";
}

std::string key_text(int key) {
  return R"(, "key": ")" + make_key(key).to_string() + "\"";
}

const std::string config_1 = R"(, "config": {"TILE": 2})";

}  // namespace

TEST_CASE("pins: one of a key, or of every key, is launched on all ranks, and the report names the file") {
  for (const std::string& key : {std::string(), key_text(7)}) {
    const TemporaryDirectory directory;
    const Seen seen = run(with_pin(directory, "pinned", pin_of("pinned", key + config_1)));
    INFO(text_of(seen.thrown[0]) << "; " << text_of(seen.thrown[1]));
    CHECK(seen.used(pinned));
    for (const RegionReport& report : seen.reports) {
      CHECK(only(report.problems).choice == pinned);
      CHECK(report.problems[0].choice_config == Config{{"TILE", 2}});
      CHECK_THAT(report.problems[0].pinned_by, ContainsSubstring(".json"));
      CHECK_THAT(report.problems[0].reason, ContainsSubstring("pinned by"));
      CHECK_THAT(report.choices_text(), ContainsAll("{TILE: 2}", "  (pinned)\n"));
    }
  }
}

TEST_CASE("pins: one of another key, region or kernel changes nothing") {
  const TemporaryDirectory directory;
  const Process process = with_pin(directory, "pinned_not", pin_of("pinned_not", key_text(8) + config_1));
  write_pin(directory.path(), process.region, pin_of("pinned_other", config_1));
  write_pin(directory.path(), "another region", pin_of("pinned_not", config_1));
  const Seen seen = run(process);
  CHECK(seen.tuned(2));
  const std::vector<std::string>& warnings = seen.reports[0].warnings;
  REQUIRE(warnings.size() == 2);  // no launch has used either pin of the region
  CHECK(std::count_if(warnings.begin(), warnings.end(), [](const std::string& warning) {
          return warning.find(".json") != std::string::npos && warning.find("(8)") != std::string::npos;
        }) == 1);
  CHECK(run(process).used(2));
}

TEST_CASE("pins: what was chosen beside one counts only while the pins are the same") {
  const TemporaryDirectory directory;
  struct Chosen {
    int runs = 0;
    std::map<std::string, int> tile{};  ///< of the last launch
  };
  const auto process = [&](int fastest, bool always_tune = false) {
    Chosen chosen;
    const auto make = [&](const std::string& name) {
      return rank_kernel(name, 3, {},
                         [&, name](const TileConfig& config, int&) { chosen.tile[name] = config.tile; });
    };
    const auto one = make("beside_pinned");
    const auto two = make("beside_tuned");
    const Alone alone = run_alone(
        directory.path(), "chosen beside", [&] { ++chosen.runs, (*one)(7), (*two)(7); },
        [=](Options& options) {
          options.always_tune = always_tune;
          options.timer = testing::scripted_timer([fastest](const LaunchInfo& launch) {
            return std::int64_t{static_cast<int>(launch.config_id) + 1 == fastest ? 1000 : 2000};
          });
        });
    CHECK(alone.error.empty());
    return chosen;
  };
  CHECK(process(3).tile == std::map<std::string, int>{{"beside_pinned", 3}, {"beside_tuned", 3}});
  write_pin(directory.path(), "chosen beside", pin_of("beside_pinned", config_1));
  CHECK(process(1, true).tile == std::map<std::string, int>{{"beside_pinned", 2}, {"beside_tuned", 1}});
  const auto used = [&](int first, int second) {
    const Chosen chosen = process(2);
    CHECK(chosen.runs == 1);
    CHECK(chosen.tile == std::map<std::string, int>{{"beside_pinned", first}, {"beside_tuned", second}});
  };
  used(2, 1);
  KeptChoices(directory.path()).unpin("chosen beside");
  used(3, 3);
  write_pin(directory.path(), "chosen beside", pin_of("beside_pinned", config_1));
  used(2, 1);
  KeptChoices(directory.path()).unpin("chosen beside");
  write_pin(directory.path(), "chosen beside", pin_of("beside_pinned", R"(, "config": {"TILE": 1})"));
  used(1, 3);
}

TEST_CASE("pins: what is not pinned is tuned beside it, and only that is kept") {
  const TemporaryDirectory directory;
  write_pin(directory.path(), "pinned beside", pin_of("pinned_first", config_1));
  for (const bool first : {true, false}) {
    std::map<std::string, std::map<int, int>> launches;
    const auto make = [&](const std::string& name) {
      return rank_kernel(name, 3, {},
                         [&, name](const TileConfig& config, int&) { ++launches[name][config.tile]; });
    };
    const auto one = make("pinned_first");
    const auto two = make("pinned_second");
    const Alone alone = run_alone(directory.path(), "pinned beside", [&] { (*one)(7), (*two)(7); });
    CHECK(alone.error.empty());
    CHECK(launches["pinned_first"].size() == 1);
    CHECK(launches["pinned_first"].contains(2));
    CHECK((launches["pinned_second"].size() == 3) == first);
    CHECK(launches["pinned_second"].contains(3));
    REQUIRE(problem_of(alone.report, "pinned_first") != nullptr);
    CHECK_THAT(problem_of(alone.report, "pinned_first")->pinned_by, ContainsSubstring(".json"));
    CHECK(problem_of(alone.report, "pinned_second")->pinned_by.empty());
  }
  const KeptChoices::Contents contents = KeptChoices(directory.path()).list();
  REQUIRE(contents.sets.size() == 1);
  CHECK(only(contents.sets[0].configs).kernel == "pinned_second");
}

TEST_CASE("pins: one of a long key is launched for its words, whatever its text is") {
  const TemporaryDirectory directory;
  const std::string words = R"(, "key_words": [[9, "00000000000000ab"], [9, "00000000000000cd"]])";
  Process process =
      with_pin(directory, "pinned_long", pin_of("pinned_long", R"(, "key": "1 to 20")" + words + config_1));
  CHECK(run(process).tuned(2));  // none of its launches has that key
  const TemporaryDirectory other;
  const Key key = make_key(std::vector<int>(20, 4));
  const std::string digest = R"(, "key": ")" + key.to_string() + R"(", "key_words": [[9, ")" +
                             detail::hex_text(key.word(0)) + R"("], [9, ")" + detail::hex_text(key.word(1)) +
                             R"("]])";
  write_pin(other.path(), "pinned long", pin_of("pinned_long_key", digest + config_1));
  std::set<int> launched;
  TunableKernel kernel{
      "pinned_long_key", tiles(3), [](const std::vector<int>& shape) { return make_key(shape); },
      [&](const TileConfig& config, const std::vector<int>&) { launched.insert(config.tile); }};
  CHECK(run_alone(other.path(), "pinned long", [&] { kernel(std::vector<int>(20, 4)); }).error.empty());
  CHECK(launched == std::set<int>{2});
}

TEST_CASE("pins: the text of a long key is enough where the key is kept, also over another pin") {
  const TemporaryDirectory directory;
  const auto launched = [&] {
    int latest = 0;
    TunableKernel kernel{"pinned_long_text", tiles(3),
                         [](const std::vector<int>& shape) { return make_key(shape); },
                         [&](const TileConfig& config, const std::vector<int>&) { latest = config.tile; }};
    CHECK(run_alone(
              directory.path(), "pinned long text", [&] { kernel(std::vector<int>(20, 4)); },
              [](Options& options) {
                options.timer = testing::scripted_timer([](const LaunchInfo& launch) {
                  return std::int64_t{1000} * (launch.config_id == 2 ? 1 : 5);
                });
              })
              .error.empty());
    return latest;
  };
  CHECK(launched() == 3);
  const KeptChoices choices(directory.path());
  const KeptSet set = choices.list().sets.at(0);
  const auto pin = [&](std::size_t config_id) {
    const PinnedConfig pinned{.region = set.region,
                              .kernel = "pinned_long_text",
                              .key = set.configs.at(0).key,
                              .config_id = config_id};
    CHECK(choices.pin(pinned).problems.empty());
  };
  pin(0);
  CHECK(launched() == 1);
  pin(1);
  CHECK(launched() == 2);
  CHECK(choices.list().pins.size() == 1);
}

TEST_CASE("pins: a kept set that is pinned is launched as it was, until it is unpinned") {
  const TemporaryDirectory directory;
  Process process{.ranks = 2, .directory = directory.path(), .only_on_rank_0 = true, .kernel = "pinned_kept"};
  REQUIRE(run(process).tuned(2));
  const KeptChoices choices(directory.path());
  REQUIRE(choices.pin(choices.list().sets.at(0)).problems.empty());
  process.fastest = 0;
  process.change = [](Options& options) { options.always_tune = true; };
  CHECK(run(process).only_launched(2));
  choices.unpin(process.region);
  CHECK(run(process).tuned(0));
}

TEST_CASE("pins: one that cannot be launched is an error on all ranks, in every mode, that names the file") {
  const std::string name = "pinned_bad";
  const std::string other_words = R"(, "key_words": [[0, "0000000000000008"]])";
  const std::map<std::string, std::string> pins{
      {pin_of(name, R"(, "config": {"TILE": 4})"), "none of the kernel's 3 configs"},
      {pin_of(name, R"(, "config": {"TILE": 2, "MORE": 1})"), "none of the kernel's 3 configs"},
      {pin_of(name, R"(, "config_id": 3)"), "has 3 configs"},
      {pin_of(name, R"(, "config_id": 0)" + config_1), "that is config-1"},
      {pin_of(name, key_text(7) + other_words + config_1), "key_words"},
      {pin_of(name, ""), "names a kernel and its config"},
      {pin_of(name, R"(, "key": "(7) in fn (7): {TILE: 1}")" + config_1), "pin a kept set"},
      {pin_of(name, config_1) + "," + pin_of(name, R"(, "config": {"TILE": 1})"), "pinned twice"},
      {"", "others can write"}};
  for (const auto& [pin, message] : pins) {
    for (const Mode mode : {Mode::tune, Mode::use, Mode::off}) {
      const TemporaryDirectory directory;
      Process process = with_pin(directory, name, pin);
      if (pin.empty()) {
        fs::permissions(pins_of(process), fs::perms::others_write, fs::perm_options::add);
      }
      process.mode = mode;
      INFO(pin);
      check_refused(run(process), {".json", message});
    }
  }
}

TEST_CASE("pins: one that cannot be launched is an error of each run, not only of the first") {
  const Mode mode = GENERATE(Mode::tune, Mode::use, Mode::off);
  const TemporaryDirectory directory;
  write_pin(directory.path(), "pinned again", pin_of("pin_again", R"(, "config": {"TILE": 9})"));
  std::atomic<int> errors{0};
  const RankKernels kernels = kernel_per_rank(2, [](int) { return rank_kernel("pin_again", 3); });
  in_process(2, directory.path(), [&](int rank, ContextualAutotuner& tuner, Options options) {
    options.mode = mode;
    for (int i = 0; i < 3; ++i) {
      const std::string text = error_text<Error>([&] {
        tuner.run(
            "pinned again", [&] { kernels(rank, 7); }, options);
      });
      errors += text.find("which cannot be launched") != std::string::npos ? 1 : 0;
    }
  });
  CHECK(errors == 6);
}

TEST_CASE("pins: where others can write, what is pinned is an error that names it, not passed over") {
  for (const Mode mode : {Mode::tune, Mode::use, Mode::off}) {
    for (const bool is_file : {true, false}) {
      const TemporaryDirectory directory;
      Process process = with_pin(directory, "pinned_open", pin_of("pinned_open", config_1));
      const fs::path file = pins_of(process);
      const fs::path open = is_file ? file : file.parent_path();
      fs::permissions(open, fs::perms::others_write, fs::perm_options::add);
      process.mode = mode;
      check_refused(run(process), {open.string(), "others can write", "what is pinned in " + file.string()});
    }
  }
}

TEST_CASE("pins: one of the former format, or in a file with an error, is an error, not passed over") {
  const bool former = GENERATE(true, false);
  const TemporaryDirectory directory;
  Process process = with_pin(directory, "pinned_former", pin_of("pinned_former", config_1));
  const detail::TrustedFolder folder(directory.path(), storage::choices_folder);
  REQUIRE(folder
              .write(pins_of(process).filename().string(),
                     former ? R"({"format": 5, "region": "kept region", "pins": []})"
                            : R"({"format": 6, "pins": [)")
              .empty());
  process.mode = GENERATE(Mode::tune, Mode::use, Mode::off);
  check_refused(run(process), {pins_of(process).string(), "what is pinned"});
}

TEST_CASE("pins: one that no launch has used is a warning that names file, kernel and key, once") {
  for (const Mode mode : {Mode::tune, Mode::use, Mode::off}) {
    const TemporaryDirectory directory;
    const std::string name = "pinned_unused_" + std::to_string(static_cast<int>(mode));
    Process process = with_pin(directory, name, pin_of(name, key_text(7) + config_1));
    process.region = "pinned unused " + name;
    process.ranks = mode == Mode::tune ? 2 : 1;
    write_pin(directory.path(), process.region, pin_of(name, key_text(7) + config_1));
    write_pin(directory.path(), process.region, pin_of(name, key_text(8) + config_1));
    write_pin(directory.path(), process.region, pin_of(name + "_misspelled", config_1));
    process.mode = mode;
    const StderrCapture said;
    const Seen seen = run(process);
    INFO(text_of(seen.thrown[0]));
    CHECK(seen.only_launched(pinned));
    std::vector<std::string> warnings = seen.reports[0].warnings;
    std::sort(warnings.begin(), warnings.end());
    CAPTURE(warnings);
    REQUIRE(warnings.size() == 2);
    CHECK_THAT(warnings[0], ContainsAll(".json", "(8)"));
    CHECK_THAT(warnings[1], ContainsAll(".json", name + "_misspelled", "every key"));
    CHECK(seen.reports.back().warnings.size() == (mode == Mode::tune ? 0 : 2));
  }
}

TEST_CASE("pins: what another region pins of the same kernel repeats no warning") {
  const TemporaryDirectory directory;
  write_pin(directory.path(), "pinned one", pin_of("pinned_by_two", key_text(8) + config_1));
  write_pin(directory.path(), "pinned two", pin_of("pinned_by_two", key_text(7) + config_1));
  const auto kernel = rank_kernel("pinned_by_two", 3);
  Report report;
  const auto thrown = in_process(1, directory.path(), [&](int, ContextualAutotuner& tuner, Options options) {
    options.mode = Mode::off;
    for (const char* region : {"pinned one", "pinned two", "pinned one"}) {
      tuner.run(
          region, [&] { (*kernel)(7); }, options);
    }
    report = tuner.report();
  });
  INFO(text_of(thrown[0]));
  REQUIRE(report.find("pinned one") != nullptr);
  CHECK(report.find("pinned one")->warnings.size() == 1);
  CHECK(report.find("pinned two")->warnings.empty());
}

TEST_CASE("pins: one that no launch has used is a warning also after `load`, once the region has run") {
  const TemporaryDirectory directory;
  write_pin(directory.path(), "pinned loaded", pin_of("pinned_loaded", key_text(7) + config_1));
  write_pin(directory.path(), "pinned loaded", pin_of("pinned_loaded", key_text(8) + config_1));
  const auto kernel = rank_kernel("pinned_loaded", 3);
  Report report;
  const StderrCapture said;
  const auto thrown =
      in_process(1, directory.path(), [&](int, ContextualAutotuner& tuner, const Options& options) {
        REQUIRE(tuner.load("pinned loaded", options));
        CHECK(tuner.report().runs.back().warnings.empty());
        for (int run = 0; run < 2; ++run) {
          tuner.run(
              "pinned loaded", [&] { (*kernel)(7); }, options);
        }
        report = tuner.report();
      });
  INFO(text_of(thrown[0]));
  REQUIRE(report.find("pinned loaded") != nullptr);
  CHECK_THAT(only(report.find("pinned loaded")->warnings), ContainsSubstring("(8)"));
  CHECK_THAT(said.text(), ContainsSubstring("(8)"));
}

TEST_CASE("pins: what cannot be prepared on one rank is an error on all") {
  for (const bool words : {true, false}) {
    const TemporaryDirectory directory;
    const std::string name = words ? "pinned_unprepared" : "pinned_unloaded";
    Process process =
        with_pin(directory, name,
                 pin_of(name, (words ? R"(, "key_words": [[0, "0000000000000007"]])" : "") + config_1));
    const auto fail = [](const TileConfig& config) {
      throw_if<ConfigRejected>(config.tile == 2, "no memory");
    };
    if (words) {
      process.kernel_options.load = [fail](const TileConfig& config, const Key&) { fail(config); };
    } else {
      process.kernel_options.load = fail;
    }
    const Seen seen = run(process);
    for (const std::exception_ptr& thrown : seen.thrown) {
      INFO(text_of(thrown));
      CHECK(thrown);
      CHECK_THAT(text_of(thrown), ContainsAll(".json", "no memory"));
    }
    CHECK(seen.runs == std::vector<int>(2, 0));
  }
}

TEST_CASE("pins: a launch that is rejected is an error on all ranks, and no other config is launched") {
  for (const bool always : {true, false}) {
    for (const std::size_t failing_rank : {0U, 1U}) {
      const TemporaryDirectory directory;
      Process process = with_pin(directory, "pinned_rejected", pin_of("pinned_rejected", config_1));
      std::atomic<std::size_t> launches{0};
      process.launcher = [&](const TileConfig&, int&) {
        throw_if<ConfigRejected>(launches++ % 2 == failing_rank, "too large");
      };
      process.change = [always](Options& options) { options.always_tune = always; };
      const Seen seen = run(process);
      CHECK(count_failed(seen.thrown) == 2);
      for (const std::exception_ptr& thrown : seen.thrown) {
        INFO(text_of(thrown));
        CHECK_THAT(text_of(thrown), ContainsAll(".json", "too large"));
      }
      CHECK(std::count(seen.others.begin(), seen.others.end(), true) == 0);
    }
  }
}

TEST_CASE("holds 24: pins: one that some arguments do not allow gives way to the default, and ends a run") {
  const TemporaryDirectory directory;
  write_pin(directory.path(), "pinned keep", pin_of("pinned_keep", config_1));
  std::vector<int> tiles;
  TunableKernel<void(const TileConfig&, int)> kernel{
      "pinned_keep",
      test::tiles(3),
      [](int) { return single_problem(); },
      [&](const TileConfig& config, int) { tiles.push_back(config.tile); },
      {.keep = [](const TileConfig& config, int n) { return config.tile <= n; }}};
  const StderrCapture captured;
  check_well(in_process(1, directory.path(), [&](int, ContextualAutotuner& tuner, Options options) {
    options.print = Print::nothing;
    auto wrapped = make_tuned_region(
        tuner, "pinned keep", [&](int n) { kernel(n); }, options);
    wrapped(2);
    wrapped(1);
    wrapped(1);
    wrapped(2);
    CHECK(count_of(captured.text(), "`keep` does not allow it") == 1);
    CHECK_THAT(error_text<Error>([&] {
                 tuner.run(
                     "pinned keep", [&] { kernel(1); }, options);
               }),
               ContainsAll(".json", "`keep` does not allow it"));
  }));
  CHECK(tiles == std::vector<int>{2, 1, 1, 2});
}

TEST_CASE("holds 21: pins: one that fails to launch later falls back to the default, once") {
  for (const Mode mode : {Mode::tune, Mode::use, Mode::off}) {
    const TemporaryDirectory directory;
    write_pin(directory.path(), "pinned falls back", pin_of("pinned_falls_back", config_1));
    bool broken = false;
    std::vector<int> tiles;
    const StderrCapture captured;
    check_well(in_process(1, directory.path(), [&](int, ContextualAutotuner& tuner, Options options) {
      const auto kernel = rank_kernel("pinned_falls_back", 3, {}, [&](const TileConfig& config, int&) {
        tiles.push_back(config.tile);
        throw_if<ConfigRejected>(broken && config.tile == 2, "too large");
      });
      options.mode = mode;
      options.print = Print::nothing;
      auto wrapped = make_tuned_region(
          tuner, "pinned falls back", [&](int key) { (*kernel)(key); }, options);
      wrapped(1);
      broken = true;
      tiles.clear();
      wrapped(1);
      wrapped(1);
    }));
    CHECK(tiles == std::vector<int>{2, 1, 1});
    const std::string text = captured.text();
    CHECK_THAT(text, ContainsAll("config-1 {TILE: 2}, which ", ".json pins, failed to launch: too large"));
    CHECK(count_of(text, "\n") == 1);
  }
}

TEST_CASE("pins: one, or a kept choice, that takes too long to be made ready is named") {
  const bool pins = GENERATE(true, false);
  const Mode mode = GENERATE(Mode::tune, Mode::use);
  const TemporaryDirectory directory;
  Process process{.directory = directory.path(), .kernel = "pinned_slow", .fastest = pinned};
  if (pins) {
    const std::string words = R"(, "key_words": [[0, "0000000000000007"]])";
    write_pin(directory.path(), process.region, pin_of("pinned_slow", key_text(7) + words + config_1));
  } else {
    REQUIRE(run(process).tuned(pinned));
  }
  std::promise<std::string> told;
  process.kernel_options.load = [told = told.get_future().share()](const TileConfig& config) {
    if (config.tile == 2) {
      CHECK(told.wait_for(std::chrono::seconds(20)) == std::future_status::ready);
      CHECK(told.get() == "pinned_slow (7) {TILE: 2}");
    }
  };
  process.change = [&](Options& options) {
    options.mode = mode;
    options.deadline = std::chrono::milliseconds(200);
    options.grace = std::chrono::milliseconds(100);
    options.on_deadline = [&](const BlockedInfo& blocked) {
      if (blocked.activity == Activity::prepare) {
        told.set_value(std::string(blocked.kernel) + " " + std::string(blocked.key) + " " +
                       std::string(blocked.config));
      }
    };
  };
  const StderrCapture captured;
  CHECK(run(process).used(pinned));
  CHECK_THAT(captured.text(), ContainsAll("blocked in: prepare", "config: {TILE: 2}"));
}

TEST_CASE("pins: what only tuning finds out cannot be prepared is an error on all ranks") {
  const TemporaryDirectory directory;
  // Another kernel is tuned, so that what is pinned is prepared for the second batch.
  write_pin(directory.path(), "pinned late", pin_of("pinned_late", config_1));
  const RankKernels kernels = kernel_per_rank(2, [&](int rank) {
    return rank_kernel("pinned_late", 3, {.load = [rank](const TileConfig& config) {
                         throw_if<ConfigRejected>(rank == 1 && config.tile == 2, "no memory");
                       }});
  });
  const RankKernels others = kernel_per_rank(2, [&](int) { return rank_kernel("pinned_late_other", 3); });
  const auto thrown =
      in_process(2, directory.path(), [&](int rank, ContextualAutotuner& tuner, const Options& options) {
        tuner.run(
            "pinned late", [&] { kernels(rank, 7), others(rank, 7); }, options);
      });
  check_all_threw<InvalidArgument>(thrown, {".json", "no memory"});
}

TEST_CASE("pins: a coupling is pinned by the id of its config") {
  for (const bool by_id : {true, false}) {
    const TemporaryDirectory directory;
    write_pin(directory.path(), "pinned pair",
              pin_of("pinned_pair", by_id ? R"(, "config_id": 1)" : config_1));
    std::vector<int> tiles;
    const auto note = [&](const TileConfig& config, int&) { tiles.push_back(config.tile); };
    const auto send = rank_kernel("pinned_send", 3, {.coupling = "pinned_pair"}, note);
    const auto receive = rank_kernel("pinned_receive", 3, {.coupling = "pinned_pair"}, note);
    const Alone alone = run_alone(directory.path(), "pinned pair", [&] { (*send)(1), (*receive)(1); });
    INFO(alone.error);
    CHECK(tiles == (by_id ? std::vector<int>{2, 2} : std::vector<int>{}));
    CHECK(alone.error.empty() == by_id);
  }
}

TEST_CASE("pins: an alternative is pinned as a config is, and what it launches is tuned") {
  const TemporaryDirectory directory;
  write_pin(directory.path(), "pinned way", pin_of("pinned_ways", R"(, "config": {"alternative": "twice"})"));
  std::map<std::string, int> taken;
  std::set<int> tiles;
  const auto kernel =
      rank_kernel("pinned_inner", 3, {}, [&](const TileConfig& config, int&) { tiles.insert(config.tile); });
  Alternatives<void(int)> ways{
      "pinned_ways",
      [](const int& key) { return make_key(key); },
      {{"once", [&](int key) { ++taken["once"], (*kernel)(key); }},
       {"twice", [&](int key) { ++taken["twice"], (*kernel)(key), (*kernel)(key); }}}};
  CHECK(run_alone(directory.path(), "pinned way", [&] { ways(1); }).error.empty());
  CHECK(taken["once"] == 0);
  CHECK(taken["twice"] > 1);
  CHECK(tiles.size() == 3);
}

TEST_CASE("pins: later calls of a wrapped region and launches outside follow them") {
  const TemporaryDirectory directory;
  write_pin(directory.path(), "pinned wrapped", pin_of("pinned_wrapped", config_1));
  for (const Mode mode : {Mode::tune, Mode::use, Mode::off}) {
    std::vector<int> tiles;
    check_well(in_process(1, directory.path(), [&](int, ContextualAutotuner& tuner, Options options) {
      const auto kernel = rank_kernel("pinned_wrapped", 3, {},
                                      [&](const TileConfig& config, int&) { tiles.push_back(config.tile); });
      options.mode = mode;
      auto wrapped = make_tuned_region(
          tuner, "pinned wrapped", [&](int key) { (*kernel)(key); }, options);
      wrapped(1);
      wrapped(1);
      wrapped(2);
      (*kernel)(3);
    }));
    CHECK(tiles.size() >= 4);
    CHECK(std::all_of(tiles.begin(), tiles.end(), [](int tile) { return tile == 2; }));
  }
}

TEST_CASE("pins: a kernel that is made later follows them, and one with another space is an error") {
  const TemporaryDirectory directory;
  write_pin(directory.path(), "pinned later", pin_of("pinned_made", R"(, "config": {"TILE": 3})"));
  for (const int configs : {3, 2}) {
    int tile = 0;
    const Alone alone = run_alone(directory.path(), "pinned later", [&] {
      const auto kernel = rank_kernel("pinned_made", configs, {},
                                      [&](const TileConfig& config, int&) { tile = config.tile; });
      (*kernel)(1);
    });
    INFO(alone.error);
    CHECK(tile == (configs == 3 ? 3 : 0));
    CHECK((configs == 3 ? alone.error.empty() : alone.error.find(".json") != std::string::npos));
  }
}

TEST_CASE("pins: the same problem by a set and by hand is pinned twice, but not where that is every key") {
  for (const bool same_key : {true, false}) {
    const TemporaryDirectory directory;
    const Process process{.directory = directory.path(), .kernel = "pin_twice"};
    REQUIRE(run(process).tuned(2));
    const KeptChoices choices(directory.path());
    REQUIRE(choices.pin(choices.list().sets.at(0)).problems.empty());
    const std::string key = same_key ? key_text(7) : "";
    write_pin(directory.path(), process.region, pin_of("pin_twice", key + R"(, "config": {"TILE": 1})"));
    const Seen seen = run(process);
    INFO(text_of(seen.thrown[0]));
    CHECK(seen.used(2) == !same_key);
    CHECK((text_of(seen.thrown[0]).find("is pinned twice") != std::string::npos) == same_key);
  }
}

}  // namespace contextual::test::kept_test::pinned_choices_test
