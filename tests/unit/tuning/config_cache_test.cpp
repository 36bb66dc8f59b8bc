#include "support/stderr_capture.hpp"
#include "support/threads.hpp"

#include <contextual/detail/storage/machine.hpp>

namespace contextual::test::config_cache_test {

namespace fs = std::filesystem;

namespace {

const TuneRequest small{{256, 256}, "host", "gemm"};
const TuneRequest large{{4096, 4096}, "host", "gemm"};
const TuneRequest other_device{{256, 256}, "NVIDIA H200", "gemm"};
const TuneRequest other_type{{256, 256}, "host", "a sum/of \"parts\""};

CachedConfig block(int size) {
  return {Config{{"BLOCK", size}, {"IMPL", "mma"}, {"SCALE", 0.5}}, 1234};
}

std::vector<fs::path> files_in(const fs::path& directory) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (entry.path().extension() == ".json") {
      files.push_back(entry.path());
    }
  }
  return files;
}

/// While it lives this process is on another machine.
class OtherMachine {
 public:
  explicit OtherMachine(const std::string& part, const std::string& text) : part_(part) {
    detail::describe_machine(part_, [text] { return text; });
  }
  OtherMachine(const OtherMachine&) = delete;
  OtherMachine& operator=(const OtherMachine&) = delete;
  ~OtherMachine() {
    detail::describe_machine(part_, [] { return std::string("as ever"); });
  }

 private:
  std::string part_;
};

}  // namespace

TEST_CASE("ConfigCache: finds by kernel type, problem size and device what was set last") {
  const TemporaryDirectory directory;
  for (const fs::path& where : {fs::path(), directory.path()}) {
    ConfigCache cache(where);
    CHECK(cache.directory() == where);
    CHECK_FALSE(cache.get(small).has_value());
    CHECK(cache.get_all_keys().empty());
    CHECK(cache.set(small, block(1)).empty());
    CHECK(cache.set(large, block(2)).empty());
    CHECK(cache.set(other_device, block(3)).empty());
    CHECK(cache.set(other_type, block(4)).empty());
    CHECK(cache.set(small, block(5)).empty());
    CHECK(cache.get(small) == block(5));
    CHECK(cache.get(large) == block(2));
    CHECK(cache.get(other_device) == block(3));
    CHECK(cache.get(other_type) == block(4));
    CHECK(cache.get_all_keys() == std::vector<TuneRequest>{other_type, other_device, small, large});
    const ConfigCache another(where);
    CHECK(where.empty() == another.get_all_keys().empty());
    CHECK((where.empty() || another.get(small) == block(5)));
    CHECK((where.empty() || another.get(large) == block(2)));
  }
}

TEST_CASE("ConfigCache: clear removes all configs, or those of a kernel type, also from the disk") {
  const TemporaryDirectory directory;
  for (const fs::path& where : {fs::path(), directory.path()}) {
    ConfigCache cache(where);
    for (const TuneRequest& request : {small, large, other_type}) {
      REQUIRE(cache.set(request, block(1)).empty());
    }
    CHECK(cache.clear("gemm").empty());
    CHECK(cache.get_all_keys() == std::vector<TuneRequest>{other_type});
    CHECK(cache.clear().empty());
    CHECK(cache.get_all_keys().empty());
    CHECK_FALSE(cache.get(other_type).has_value());
    CHECK(files_in(directory.path()).empty());
  }
}

TEST_CASE("ConfigCache: a cache of the same directory finds the configs with their types and times") {
  const TemporaryDirectory directory;
  ConfigCache first(directory.path());
  const ConfigCache second(directory.path());
  REQUIRE(first.set(other_type, block(7)).empty());
  CHECK(second.get(other_type) == block(7));
  CHECK(second.get_all_keys() == std::vector<TuneRequest>{other_type});
  REQUIRE(first.set(other_type, {Config{{"BLOCK", 8}}}).empty());
  CHECK(second.get(other_type) == CachedConfig{Config{{"BLOCK", 8}}});
  CHECK(KeptChoices(directory.path()).list().sets.size() == 1);  // it has replaced the other one
}

TEST_CASE("ConfigCache: what another machine has chosen does not count, and stays") {
  const TemporaryDirectory directory;
  {
    const OtherMachine other("config cache machine", "another one");
    REQUIRE(ConfigCache(directory.path()).set(small, block(1)).empty());
  }
  ConfigCache cache(directory.path());
  CHECK_FALSE(cache.get(small).has_value());
  CHECK(cache.get_all_keys().empty());
  CHECK(cache.clear().empty());
  const OtherMachine again("config cache machine", "another one");
  CHECK(ConfigCache(directory.path()).get(small) == block(1));
}

TEST_CASE("ConfigCache: what was set with other versions of software counts") {
  const TemporaryDirectory directory;
  {
    const OtherMachine other("driver", "another one");
    REQUIRE(ConfigCache(directory.path()).set(small, block(1)).empty());
  }
  CHECK(ConfigCache(directory.path()).get(small) == block(1));
}

TEST_CASE("ConfigCache: a negative time is refused, and nothing is kept") {
  const TemporaryDirectory directory;
  for (const fs::path& where : {fs::path(), directory.path()}) {
    ConfigCache cache(where);
    CHECK_THAT(error_text<InvalidArgument>([&] {
                 static_cast<void>(cache.set(small, {Config{{"BLOCK", 1}}, -1}));
               }),
               ContainsAll("gemm (256, 256) on host", "-1 ns"));
    CHECK_FALSE(cache.get(small).has_value());
    CHECK(cache.set(small, {Config{{"BLOCK", 1}}, 0}).empty());
    CHECK(ConfigCache(where).get(small).has_value() == !where.empty());
  }
}

TEST_CASE("ConfigCache: a file that is damaged, or that others can write, is named and not believed") {
  const bool damaged = GENERATE(true, false);
  const TemporaryDirectory directory;
  REQUIRE(ConfigCache(directory.path()).set(small, block(1)).empty());
  const fs::path file = files_in(directory.path()).at(0);
  if (damaged) {
    std::string text = text_of_file(file);
    text.replace(text.find("mma"), 3, "simt");
    std::ofstream(file) << text;
  } else {
    fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
  }
  {
    const StderrCapture said;
    CHECK_FALSE(ConfigCache(directory.path()).get(small).has_value());
    CHECK_THAT(said.text(), ContainsSubstring(file.string()));
  }
  ConfigCache cache(directory.path());
  CHECK(cache.set(small, block(2)).empty() == damaged);  // what others can write stays as it is
  CHECK(cache.get(small) == block(2));
  CHECK(ConfigCache(directory.path()).get(small).has_value() == damaged);
}

TEST_CASE("ConfigCache: a failure to write is told, and the config is in memory") {
  const TemporaryDirectory directory;
  const fs::path no_folder = directory.path() / "file";
  std::ofstream(no_folder) << "in the way";
  ConfigCache cache(no_folder);
  CHECK_THAT(cache.set(small, block(2)), ContainsSubstring(no_folder.string()));
  CHECK(cache.get(small) == block(2));
}

TEST_CASE("ConfigCache: a list says what a config that a KernelTuner has chosen belongs to") {
  const TemporaryDirectory directory;
  for (const std::string& version : {std::string(), std::string("7")}) {
    OneKernel one("cache_belongs" + version, 2, {.version = version});
    KernelTunerOptions options{.tuning = quick()};
    options.tuning.cache_directory = directory.path();
    KernelTuner{one.kernel, options}.tune({.problem_size = {1}});
    bool found = false;
    for (const KeptSet& set : KeptChoices(directory.path()).list().sets) {
      if (set.region == "config cache: " + one.name) {
        found = true;
        const std::string belongs_to = set.configs.at(0).belongs_to;
        CHECK((version.empty() ? belongs_to.starts_with("test_tuning ") : belongs_to == "version 7"));
      }
    }
    CHECK(found);
  }
}

TEST_CASE("ConfigCache: the directory's other tools list its sets and leave regions apart") {
  const TemporaryDirectory directory;
  REQUIRE(ConfigCache(directory.path()).set(small, block(1)).empty());
  const KeptChoices kept(directory.path());
  const KeptChoices::Contents contents = kept.list();
  CHECK(only(contents.sets).region == "config cache: gemm");
  CHECK(only(contents.sets[0].configs).config == block(1).config);
  CHECK(kept.forget("config cache: gemm").items.size() == 1);
  CHECK_FALSE(ConfigCache(directory.path()).get(small).has_value());
}

TEST_CASE("ConfigCache: threads that set, get and clear at once see whole configs only") {
  const TemporaryDirectory directory;
  ConfigCache cache(directory.path());
  constexpr int threads = 4;
  constexpr int rounds = 20;
  std::atomic<int> wrong{0};
  on_threads(threads, [&](int thread) {
    const TuneRequest own{{thread}, "host", "gemm"};
    for (int round = 1; round <= rounds; ++round) {
      const bool kept = cache.set(own, block(round)).empty() && cache.set(small, block(round)).empty();
      const auto shared = cache.get(small);
      const bool whole = shared && shared->config.size() == 3 && shared->time_ns == 1234;
      wrong += kept && whole && cache.get(own) == block(round) && cache.clear("another type").empty() ? 0 : 1;
    }
  });
  CHECK(wrong == 0);
  CHECK(cache.get_all_keys().size() == threads + 1);
  CHECK(cache.get(small) == block(rounds));
}

}  // namespace contextual::test::config_cache_test
