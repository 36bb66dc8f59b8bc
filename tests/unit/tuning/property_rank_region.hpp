#pragma once

/// \file
/// A random region on simulated ranks: what it launches when and where, and what goes wrong. Everything is a
/// function of the seed, the rank and the run of the region, so that ranks agree without talking.

#include "searches/coordinate_descent.hpp"
#include "searches/random_search.hpp"
#include "support/ranks.hpp"

#include <random>
#include <span>

namespace contextual::test {

/// One kernel and how it misbehaves. `safe_config` never does.
struct RandomKernel {
  std::string name;
  int configs = 1;
  Participation participation = Participation::all;
  bool rank_in_key = false;
  std::string coupling;
  int safe_config = 0;
  bool has_prepare = false;
  std::set<std::pair<int, int>> fails_to_launch;   ///< (rank, config)
  std::set<std::pair<int, int>> fails_to_prepare;  ///< (rank, config)
  std::set<std::pair<int, int>> left_out;          ///< (rank, config)
  std::set<std::pair<int, int>> too_large;         ///< (rank, config), for what is launched later
  int shrinks_at = 0;                              ///< run of the region from which on that is so

  /// What `keep` says.
  bool allows(int rank, int config, int run) const {
    return !left_out.contains({rank, config}) && (run <= shrinks_at || !too_large.contains({rank, config}));
  }
  std::unique_ptr<RankKernel> object;
};

/// One launch of the region: a tuning problem, unless its kernels are coupled.
struct RandomLaunch {
  std::size_t kernel = 0;
  int key = 0;
  int first_run = 0;          ///< of the region in which it appears
  int vanishes_at = 1 << 30;  ///< run of the region
  int gap_percent = 0;        ///< absent at random
  int calls = 1;              ///< per run of the region
  bool on_worker = false;
  std::set<int> absent_ranks;
};

/// What finds out that two configs fail together.
enum class Judge { check, verify, feasible, missing_time };

/// Two launches of which some configs fail together only. Those with a safe config never do.
struct RandomPair {
  std::size_t first = 0;   ///< index of the launch that comes first in a run
  std::size_t second = 0;  ///< index of the other one
  Judge judge = Judge::check;
  int rank = 0;  ///< where it fails; for `feasible`, on all
  std::set<std::pair<int, int>> configs;
};

/// What a rank's launches did; launchers find it by their thread.
struct RankNotes {
  int rank = 0;
  std::int64_t calls = 0;
  std::int64_t launched = 0;  ///< launcher calls that returned
  int runs = 0;               ///< of the region
  int unprepared_launches = 0;
  int refused_launches = 0;  ///< of configs that `keep` does not allow, beside the default
  int ruled_out_runs = 0;    ///< of assignments that `feasible` rules out
  std::map<std::pair<std::size_t, int>, int> last_config;  ///< by kernel and key, of the latest run
};

inline thread_local RankNotes* notes = nullptr;

class RandomRegion {
 public:
  RandomRegion(unsigned seed, int rank_count)
      : name("random " + std::to_string(seed)), ranks(rank_count), seed_(seed), random_(seed) {
    options.n_warmup = between(1, 2);
    options.n_repeat = between(1, 4);
    add_search();
    missing_per_mille_ = chance(50) ? 40 / ranks : 0;
    for (int kernel = between(1, 4); kernel > 0; --kernel) {
      add_kernel();
    }
    for (RandomLaunch& launch : launches) {  // something is launched from the first run on
      const bool first = launch.kernel == launches.front().kernel && launch.key == launches.front().key;
      launch.first_run = first ? 0 : launch.first_run;
    }
    for (int pair = chance(60) ? between(1, 2) : 0; pair > 0; --pair) {
      add_pair();
    }
    locked_before = chance(30);
  }

  /// One run of the region on the calling rank.
  void run(RankNotes& own) {
    const int now = own.runs++;
    own.last_config.clear();
    bool any_on_worker = false;
    for (const RandomLaunch& launch : launches) {
      any_on_worker = any_on_worker || launch.on_worker;
      launch_all(own, launch, now, false);
    }
    if (any_on_worker) {
      const RegionContext context = RegionContext::current();
      std::thread([&] {
        const ContextGuard guard(context, LaunchOrder::any);
        for (std::size_t i = 0; i < launches.size(); ++i) {  // another order on every rank
          launch_all(own, launches[(i + static_cast<std::size_t>(own.rank)) % launches.size()], now, true);
        }
      }).join();
    }
    for (const RandomPair& pair : pairs) {
      const bool known =
          now > std::max(launches[pair.first].first_run, launches[pair.second].first_run) + longest_batch();
      const bool planned = known && runs_as_planned();
      own.ruled_out_runs += planned && pair.judge == Judge::feasible && fails_now(pair, own) ? 1 : 0;
    }
  }

  /// The longest batch of a walk, in which what joins late uses its default.
  int longest_batch() const { return *options.n_warmup + *options.n_repeat; }

  /// Whether every run is one that was planned, with the planned configs.
  bool runs_as_planned() const {
    return !judged_by(Judge::check) &&
           std::all_of(kernels.begin(), kernels.end(), [](const RandomKernel& kernel) {
             return kernel.fails_to_launch.empty() && kernel.too_large.empty();
           });
  }

  /// Whether every rank makes every launch in every run.
  bool always_launches_all() const {
    return std::all_of(launches.begin(), launches.end(), [](const RandomLaunch& launch) {
      return launch.first_run == 0 && launch.vanishes_at == 1 << 30 && launch.gap_percent == 0 &&
             launch.absent_ranks.empty();
    });
  }

  /// Whether the latest run had configs that fail together.
  bool fails_now(const RandomPair& pair, const RankNotes& own) const {
    const RandomLaunch& first = launches[pair.first];
    const RandomLaunch& second = launches[pair.second];
    const auto a = own.last_config.find({first.kernel, first.key});
    const auto b = own.last_config.find({second.kernel, second.key});
    return a != own.last_config.end() && b != own.last_config.end() &&
           pair.configs.contains({a->second, b->second});
  }

  /// The verdict of a rank on the batch that has just run.
  bool verify(const RankNotes& own) const {
    return std::none_of(pairs.begin(), pairs.end(), [&](const RandomPair& pair) {
      return pair.judge == Judge::verify && pair.rank == own.rank && fails_now(pair, own);
    });
  }

  bool feasible(std::span<const AssignedConfig> assignment) const {
    const auto config_of = [&](std::size_t launch) {
      const std::string key = "(" + std::to_string(launches[launch].key) + ")";
      for (const AssignedConfig& assigned : assignment) {
        if (assigned.kernel == kernels[launches[launch].kernel].name && assigned.key == key) {
          return static_cast<int>(assigned.config_id);
        }
      }
      return -1;
    };
    return std::none_of(pairs.begin(), pairs.end(), [&](const RandomPair& pair) {
      return pair.judge == Judge::feasible &&
             pair.configs.contains({config_of(pair.first), config_of(pair.second)});
    });
  }

  bool judged_by(Judge judge) const {
    return std::any_of(pairs.begin(), pairs.end(),
                       [judge](const RandomPair& pair) { return pair.judge == judge; });
  }

  bool launches_now(const RandomLaunch& launch, int rank, int now) const {
    if (now < launch.first_run || now >= launch.vanishes_at || launch.absent_ranks.contains(rank)) {
      return false;
    }
    const unsigned id = static_cast<unsigned>(launch.kernel) * 16 + static_cast<unsigned>(launch.key);
    return now == launch.first_run || mixed(id, static_cast<unsigned>(now), 99) % 100 >= gap_of(launch);
  }

  TimerFactory timer(int rank) const {
    testing::ScriptedTimes times;
    times.launch_ns = [this, rank](const LaunchInfo& launch) -> std::int64_t {
      for (const RandomPair& pair : pairs) {
        const RandomLaunch& second = launches[pair.second];
        if (pair.judge == Judge::missing_time && pair.rank == rank && fails_now(pair, *notes) &&
            kernels[second.kernel].name == launch.kernel && make_key(second.key) == *launch.key) {
          return 0;
        }
      }
      const auto word = static_cast<unsigned>(launch.kernel.back()) + 7 * static_cast<unsigned>(rank);
      const auto iteration = static_cast<unsigned>(launch.tuning_iteration);
      if (static_cast<int>(mixed(word, iteration, 1) % 1000) < missing_per_mille_) {
        return static_cast<std::int64_t>(mixed(word, iteration, 2) % 2) - 1;  // 0 or -1
      }
      const auto config = static_cast<unsigned>(launch.config_id);
      return 5000 + mixed(static_cast<unsigned>(launch.kernel.back()), config, 3) % 3000 +
             mixed(word, iteration, 4) % 400;
    };
    if (with_extents_) {
      times.iteration_begin_ns = [](std::int64_t iteration) { return 1'000'000 * (iteration + 1); };
    }
    if (others_known_) {  // then what runs alone is known too
      times.launch_begin_ns = [](const LaunchInfo& launch) {
        return launch.kernel.back() % 2 == 0 ? 100'000 * std::int64_t{launch.kernel.back()} : 0;
      };
      times.other_spans = [](std::int64_t /*iteration*/,
                             const std::vector<testing::ScriptedLaunch>& /*all*/) {
        return std::vector<Span>();
      };
    }
    return testing::scripted_timer_with(std::move(times));
  }

  const std::string name;  ///< its own, since a region's choices outlive its runs
  const int ranks;
  Options options;
  bool locked_before = false;  ///< an earlier run of the region tunes what it launches first
  std::vector<RandomKernel> kernels;
  std::vector<RandomLaunch> launches;
  std::vector<RandomPair> pairs;

 private:
  int between(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1));
  }
  bool chance(int percent) { return between(0, 99) < percent; }
  unsigned mixed(unsigned a, unsigned b, unsigned c) const {
    std::uint64_t h = seed_ * 0x9e3779b97f4a7c15ULL + a * 1000003ULL + b * 8191ULL + c * 131ULL;
    h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9ULL;
    return static_cast<unsigned>((h ^ (h >> 32)) & 0x7fffffff);
  }
  static unsigned gap_of(const RandomLaunch& launch) { return static_cast<unsigned>(launch.gap_percent); }

  void add_search() {
    constexpr std::array levels{SearchLevel::off, SearchLevel::quick, SearchLevel::normal,
                                SearchLevel::normal, SearchLevel::thorough};
    options.search = levels[static_cast<std::size_t>(between(0, 4))];
    options.search_settings.runs = 20 * between(1, 3);
    options.search_settings.closing_rounds = between(0, 2);
    options.iterations = chance(30) ? Iterations::pipelined : Iterations::joined;
    with_extents_ = chance(50);
    others_known_ = chance(40);
    if (const int own = between(0, 9); own == 0) {
      options.search_settings.factory = [](const SearchRequest& request) {
        return std::make_unique<examples::RandomSearch>(request);
      };
    } else if (own == 1) {
      options.search_settings.factory = [](const SearchRequest& request) {
        return std::make_unique<examples::CoordinateDescent>(request);
      };
    }
  }

  /// Of two launches that every rank makes on the thread of `run`. Not of coupled kernels: those end the run.
  void add_pair() {
    std::vector<std::size_t> suited;
    for (std::size_t i = 0; i < launches.size(); ++i) {
      const RandomKernel& kernel = kernels[launches[i].kernel];
      if (kernel.participation == Participation::all && kernel.coupling.empty() && !launches[i].on_worker) {
        suited.push_back(i);
      }
    }
    if (suited.size() < 2) {
      return;
    }
    const int first = between(0, static_cast<int>(suited.size()) - 2);
    const int second = between(first + 1, static_cast<int>(suited.size()) - 1);
    RandomPair pair;
    pair.first = suited[first];
    pair.second = suited[second];
    pair.judge = static_cast<Judge>(between(0, 3));
    pair.rank = between(0, ranks - 1);
    const RandomKernel& a = kernels[launches[pair.first].kernel];
    const RandomKernel& b = kernels[launches[pair.second].kernel];
    const int percent = between(5, 60);
    for (int i = 0; i < a.configs; ++i) {
      for (int j = 0; j < b.configs; ++j) {  // the defaults too
        if (i != a.safe_config && j != b.safe_config && chance(percent)) {
          pair.configs.insert({i, j});
        }
      }
    }
    pairs.push_back(std::move(pair));
  }

  void add_kernel() {
    RandomKernel kernel;
    const int kind = between(0, 9);
    kernel.configs = between(1, 8);
    kernel.safe_config = between(0, kernel.configs - 1);
    kernel.participation = kind < 3 ? Participation::some : Participation::all;
    kernel.rank_in_key = kind == 2;
    const bool pair = kind == 3;
    const std::string suffix = "-" + std::to_string(kernels.size());
    kernel.name = "random" + suffix;
    kernel.coupling = pair ? "couple" + suffix : "";
    if (!pair) {
      add_trouble(kernel);
    }
    const int configs = kernel.configs;
    const std::string coupling = kernel.coupling;
    add_object(std::move(kernel));
    if (pair) {
      RandomKernel partner;
      partner.configs = configs;
      partner.coupling = coupling;
      partner.name = "partner-" + std::to_string(kernels.size());
      add_object(std::move(partner));
    }
    add_launches(pair);
  }

  void add_trouble(RandomKernel& kernel) {
    kernel.has_prepare = chance(30);
    const bool all = kernel.participation == Participation::all;
    for (int config = 0; config < kernel.configs; ++config) {
      const std::pair<int, int> place{between(0, ranks - 1), config};
      if (config == kernel.safe_config) {
        continue;
      }
      if (chance(10) && (config > 0 || !kernel.has_prepare)) {  // only the default is prepared at first
        kernel.fails_to_launch.insert(place);
      } else if (chance(10) && kernel.has_prepare && all && config > 0) {
        kernel.fails_to_prepare.insert(place);
      } else if (chance(10)) {  // the default too
        kernel.left_out.insert(place);
      } else if (chance(10)) {
        kernel.too_large.insert(place);
      }
    }
    kernel.shrinks_at = kernel.too_large.empty() ? 0 : between(1, 40);
  }

  void add_object(RandomKernel kernel) {
    const std::size_t index = kernels.size();
    RankKernel::Options with;
    with.participation = kernel.participation;
    with.coupling = kernel.coupling;
    if (kernel.has_prepare) {
      with.load = [this, index](const TileConfig& config) {
        throw_if<ConfigRejected>(kernels[index].fails_to_prepare.contains({notes->rank, config.tile - 1}),
                                 "planted: cannot be prepared");
      };
    }
    with.keep = [this, index](const TileConfig& config, const int&) {
      return kernels[index].allows(notes->rank, config.tile - 1, notes->runs);
    };
    with.check = [this, index](const TileConfig& /*config*/, int& key) {
      return std::none_of(pairs.begin(), pairs.end(), [&](const RandomPair& pair) {
        return pair.judge == Judge::check && pair.rank == notes->rank &&
               launches[pair.second].kernel == index && launches[pair.second].key == key &&
               fails_now(pair, *notes);
      });
    };
    kernel.object = rank_kernel(
        kernel.name, kernel.configs, with,
        [this, index](const TileConfig& config, int& key) { launch(index, config.tile - 1, key); });
    kernels.push_back(std::move(kernel));
  }

  void launch(std::size_t index, int config, int key) const {
    const RandomKernel& kernel = kernels[index];
    throw_if<ConfigRejected>(kernel.fails_to_launch.contains({notes->rank, config}),
                             "planted: cannot be launched");
    for (int rank = 0; rank < ranks; ++rank) {
      notes->unprepared_launches += kernel.fails_to_prepare.contains({rank, config}) ? 1 : 0;
    }
    notes->refused_launches += config != 0 && !kernel.allows(notes->rank, config, notes->runs) ? 1 : 0;
    ++notes->launched;
    notes->last_config[{index, key}] = config;
  }

  void add_launches(bool pair) {
    const bool some = kernels.back().participation == Participation::some;
    const bool rank_in_key = kernels.back().rank_in_key;
    for (int key = between(1, 2); key > 0; --key) {
      RandomLaunch launch;
      launch.key = key;
      launch.calls = between(1, 2);
      launch.first_run = chance(60) ? 0 : between(1, 40);
      launch.on_worker = !pair && ranks <= 4 && chance(15);
      launch.vanishes_at = chance(10) ? launch.first_run + between(1, 20) : launch.vanishes_at;
      launch.gap_percent = chance(15) ? between(5, 30) : 0;
      for (int rank = 0; rank_in_key && rank < ranks; ++rank) {
        launch.key = key + 10 * (rank + 1);
        launch.absent_ranks.clear();
        for (int other = 0; other < ranks; ++other) {
          launch.absent_ranks.insert(other);
        }
        launch.absent_ranks.erase(rank);
        launch.kernel = kernels.size() - 1;
        launches.push_back(launch);
        partner_.push_back(launch.kernel);
      }
      if (rank_in_key) {
        continue;
      }
      for (int rank = 1; some && rank < ranks; ++rank) {
        if (chance(40)) {
          launch.absent_ranks.insert(rank);
        }
      }
      for (std::size_t kernel = kernels.size() - (pair ? 2 : 1); kernel < kernels.size(); ++kernel) {
        launch.kernel = kernel;
        launches.push_back(launch);
        launches.back().kernel = pair ? kernels.size() - 2 : kernel;  // gaps of a pair are the same
        partner_.push_back(pair ? kernel : launches.back().kernel);
      }
    }
  }

  void launch_all(RankNotes& own, const RandomLaunch& launch, int now, bool on_worker) {
    if (launch.on_worker != on_worker || !launches_now(launch, own.rank, now)) {
      return;
    }
    RankNotes* const before = std::exchange(notes, &own);
    const auto index = static_cast<std::size_t>(&launch - launches.data());
    for (int call = 0; call < launch.calls; ++call) {
      ++own.calls;
      (*kernels[partner_[index]].object)(launch.key);
    }
    notes = before;
  }

  unsigned seed_;
  std::mt19937 random_;
  int missing_per_mille_ = 0;
  bool with_extents_ = false;         ///< the timer knows when an iteration's work begins
  bool others_known_ = false;         ///< the timer knows all work of the region
  std::vector<std::size_t> partner_;  ///< by launch: the kernel that is called
};

}  // namespace contextual::test
