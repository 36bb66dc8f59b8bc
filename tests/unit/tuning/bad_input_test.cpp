/// \file
/// Input that makes no sense: each error says what, where and what to change.

#include "support/engine.hpp"

namespace contextual::test::bad_input_test {

namespace {

const auto do_nothing = [](const Block&) {};

/// The error of a first launch, and of the first run with it, of a kernel of this space.
void check_space_error(const std::string& name, const ConfigSpace<Block>& space,
                       const std::vector<std::string>& parts) {
  TunableKernel kernel{name, space, single_problem, do_nothing};
  ContextualAutotuner tuner{quick()};
  for (const std::string& text :
       {error_text<ConfigSpaceError>([&] { kernel(); }),
        error_text<ConfigSpaceError>([&] { tuner.run("bad_space", [&] { kernel(); }); })}) {
    CHECK_THAT(text, ContainsSubstring("\"" + name + "\""));  // where
    for (const std::string& part : parts) {
      CHECK_THAT(text, ContainsSubstring(part));
    }
  }
}

}  // namespace

TEST_CASE("bad input: options out of range are refused by name, of the tuner and of a call") {
  int runs = 0;
  ContextualAutotuner tuner{quick()};
  const auto error_of = [&](const Options& options) {
    ContextualAutotuner own{options};  // the constructor throws nothing
    const std::string text = error_text<InvalidArgument>([&] { own.run("bad_options", [&] { ++runs; }); });
    CHECK(error_text<InvalidArgument>([&] {
            tuner.run(
                "bad_options", [&] { ++runs; }, options);
          }) == text);
    return text;
  };
  CHECK_THAT(error_of({.n_warmup = 0}), ContainsAll("n_warmup = 0", "at least 1"));
  CHECK_THAT(error_of({.n_repeat = -1}), ContainsAll("n_repeat = -1", "at least 1"));
  CHECK_THAT(error_of({.deadline = std::chrono::milliseconds(0)}), ContainsSubstring("deadline"));
  CHECK(runs == 0);
}

TEST_CASE("bad input: a bad space is an error of the first launch and of run, with what to change") {
  check_space_error("bad_empty", ConfigSpace<Block>{}, {"empty", "give at least one"});
  check_space_error("bad_no_values", {{"BLOCK", &Block::block, std::vector<int>{}}},
                    {"empty", "\"BLOCK\"", "give at least one"});
  check_space_error("bad_contradictory",
                    blocks(3).constraint("too_large", [](const Block& c) { return c.block > 100; }),
                    {"contradictory", "\"too_large\"", "relax a constraint"});
  check_space_error("bad_duplicate", {{"BLOCK", &Block::block, {1, 2, 1}}},
                    {"duplicate", "\"BLOCK\"", "1", "remove one"});
  check_space_error("bad_constraint",
                    blocks(2).constraint(
                        "fits", [](const Block&) -> bool { throw std::runtime_error("division by zero"); }),
                    {"\"fits\"", "division by zero", "{BLOCK: 0}", "return false"});
}

TEST_CASE("bad input: constructing a kernel of a bad space throws nothing, others are not disturbed") {
  TunableKernel bad{"bad_but_unused", ConfigSpace<Block>{}, single_problem, do_nothing};
  TunableKernel good{"good_beside_bad", blocks(2), single_problem, do_nothing};
  ContextualAutotuner tuner{quick()};
  CHECK_NOTHROW(tuner.run("good_beside_bad", [&] { good(); }));
  CHECK_NOTHROW(good());
}

TEST_CASE("bad input: two living kernels of one name are refused at a launch and in run") {
  TunableKernel first{"bad_twins", blocks(2), [](int n) { return make_key(n); }, [](const Block&, int) {}};
  auto second = std::make_unique<TunableKernel<void(const Block&, int)>>(
      "bad_twins", blocks(2), [](const int& n) { return make_key(n); }, [](const Block&, int) {});
  ContextualAutotuner tuner{quick()};
  const auto both = [&](int key_of_second) {
    return error_text<InvalidArgument>(
        [&] { tuner.run("bad_twins", [&] { first(1), (*second)(key_of_second); }); });
  };
  for (const std::string& text : {error_text<InvalidArgument>([&] { first(1); }),
                                  error_text<InvalidArgument>([&] { (*second)(1); }), both(1), both(2)}) {
    CHECK_THAT(text, ContainsAll("two living", "\"bad_twins\""));
    CHECK_THAT(text, ContainsSubstring("name of its own") || ContainsSubstring("each a name"));
  }
  second.reset();
  CHECK_NOTHROW(first(1));
  CHECK_NOTHROW(tuner.run("bad_twins_gone", [&] { first(1); }));
}

TEST_CASE("bad input: a second living kernel of one name is refused in run, though only one is launched") {
  TunableKernel first{"bad_twin_unused", blocks(2), single_problem, do_nothing};
  auto second = std::make_unique<TunableKernel<void(const Block&)>>("bad_twin_unused", blocks(2),
                                                                    single_problem, do_nothing);
  ContextualAutotuner tuner{quick()};
  int runs = 0;
  const auto region = [&] { ++runs, first(); };
  const std::string text = error_text<InvalidArgument>([&] { tuner.run("bad_twin_unused", region); });
  CHECK_THAT(text, ContainsSubstring("two living tunable kernels are named \"bad_twin_unused\""));
  CHECK(runs == 1);  // the launch that discovers it throws
  second.reset();
  CHECK_NOTHROW(tuner.run("bad_twin_unused", region));
}

TEST_CASE("bad input: a log directory that cannot be written is refused before the region runs") {
  const TemporaryDirectory directory;
  const std::filesystem::path file = directory.path() / "a_file";
  std::ofstream(file) << "not a directory";
  int runs = 0;
  ContextualAutotuner tuner{quick()};
  const std::string text = error_text<InvalidArgument>(
      [&] { tuner.run("bad_log", [&] { ++runs; }, {.log_directory = file / "logs"}); });
  CHECK_THAT(text, ContainsAll((file / "logs").string(), "CONTEXTUAL_LOG_DIR"));
  CHECK(runs == 0);
  CHECK_NOTHROW(tuner.run("bad_log", [&] { ++runs; }));
  CHECK(runs == 1);
}

TEST_CASE("bad input: an unknown parameter of a dynamic config is named with what there is") {
  const ConfigSpace<Config> space{{"TILE", {1, 2}}, {"STAGES", {3, 4}}};
  const auto typo = space.param<int>("TYLE");
  TunableKernel kernel{"bad_parameter", space, single_problem, [&](const Config& c) { return c[typo]; }};
  ContextualAutotuner tuner{quick()};
  for (const std::string& text :
       {error_text<InvalidArgument>([&] { kernel(); }),
        error_text<InvalidArgument>([&] { tuner.run("bad_parameter", [&] { kernel(); }); })}) {
    CHECK_THAT(text, ContainsAll("TYLE", "TILE", "STAGES"));
  }
}

TEST_CASE("bad input: an empty name is refused, of a region, a function and a kernel") {
  ContextualAutotuner tuner{quick()};
  int runs = 0;
  auto step = make_tuned_region(tuner, "", [&] { ++runs; });
  auto function =
      autotune("", blocks(2), single_problem, [&](const Block&) { ++runs; }, {.options = quick()});
  TunableKernel kernel{"", blocks(2), single_problem, do_nothing};
  const auto error_of = [](const auto& call) { return error_text<InvalidArgument>(call); };
  CHECK_THAT(error_of([&] { tuner.run("", [&] { ++runs; }); }), ContainsSubstring("empty region name"));
  CHECK_THAT(error_of([&] { step(); }), ContainsSubstring("empty region name"));
  CHECK_THAT(error_of([&] { function(); }), ContainsAll("a tuned function has an empty name", "`autotune`"));
  CHECK_THAT(error_of([&] { kernel(); }), ContainsSubstring("empty name"));
  CHECK_THAT(error_of([&] { tuner.run("bad_kernel_name", [&] { kernel(); }); }),
             ContainsSubstring("empty name"));
  CHECK(runs == 0);
}

TEST_CASE("bad input: a kernel name that is not UTF-8 is refused, since nothing kept could be found by it") {
  TunableKernel kernel{"k\xff", blocks(2), single_problem, do_nothing};
  ContextualAutotuner tuner{quick()};
  CHECK_THAT(error_text<InvalidArgument>([&] { kernel(); }), ContainsSubstring("is not UTF-8"));
  CHECK_THAT(error_text<InvalidArgument>([&] { tuner.run("bad_kernel_name", [&] { kernel(); }); }),
             ContainsSubstring("is not UTF-8"));
  TunableKernel coupled{"bad_coupling", blocks(2), single_problem, do_nothing, {.coupling = "c\xff"}};
  CHECK_THAT(error_text<InvalidArgument>([&] { coupled(); }), ContainsSubstring("its coupling is not UTF-8"));
  TunableKernel fine{"k\xc3\xa4", blocks(2), single_problem, do_nothing};
  CHECK_NOTHROW(fine());
}

}  // namespace contextual::test::bad_input_test
