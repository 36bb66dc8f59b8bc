/// \file
/// How good a choice each search makes, and after how many runs of the region. Recorded regions
/// (benchmarks/regions) and made-up ones answer the runs, so nothing here needs a device; of both it is known
/// how good every assignment truly is. Regret is by how much the choice's true makespan exceeds the best one.
/// Runs count everything: first runs of new assignments, lead-ins, samples and infeasible runs.

#include "command_line.hpp"
#include "search/region_source.hpp"
#include "search/replay_many.hpp"
#include "search/replay_summary.hpp"
#include "search/search_table.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace {

using contextual::benchmarks::run_program;
using nlohmann::json;
using search_replay::NamedSearch;
using search_replay::RegionSource;
using search_replay::Replay;
using search_replay::ReplaySummary;

constexpr std::size_t curve_points = 100;
const std::string every_kind = "all";

struct Settings {
  std::vector<std::string> files;
  std::vector<std::string> made_up;
  std::vector<std::string> searches;
  std::vector<std::int64_t> max_runs{400};
  std::size_t seeds = 100;
  std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  bool as_json = false;
  bool curve = false;
};

/// JSON has no infinity, which is the regret of an infeasible choice.
json percent_or_null(double regret) {
  return std::isfinite(regret) ? json(100 * regret) : json();
}

json json_of(const std::string& region, const NamedSearch& search, std::int64_t max_runs,
             const std::vector<Replay>& replays, bool curve) {
  const ReplaySummary summary = summarize(replays);
  json row{{"region", region},
           {"search", search.name},
           {"max_runs", search.uses_max_runs ? json(max_runs) : json()},
           {"seeds", replays.size()},
           {"median_regret_percent", percent_or_null(summary.median_regret)},
           {"regret_95_percent", percent_or_null(summary.regret_95)},
           {"largest_regret_percent", percent_or_null(summary.largest_regret)},
           {"infeasible_choices", summary.infeasible_choices},
           {"unseen", summary.unseen},
           {"mistaken", summary.mistaken},
           {"lost", summary.lost},
           {"median_runs", summary.median_runs},
           {"runs_95", summary.runs_95}};
  if (curve) {
    json points = json::array();
    for (const auto& point : summarize_curves(replays, curve_points)) {
      points.push_back({{"runs", point.runs},
                        {"median_regret_percent", percent_or_null(point.median_regret)},
                        {"regret_95_percent", percent_or_null(point.regret_95)}});
    }
    row["curve"] = points;
  }
  return row;
}

void print_head(std::size_t seeds) {
  std::printf(
      "Regret in %% of the best makespan, of %zu seeds; infeas: seeds whose choice is infeasible, which has "
      "infinite regret.\nOf whole tunings that miss by more than 1 %%: unseen, nothing better was measured; "
      "mist., it "
      "was mistaken; lost, it lost the closing comparison.\n",
      seeds);
  std::printf("%-28s %-11s %8s %9s %9s %9s %6s %6s %6s %6s %7s %7s\n", "region", "search", "max_runs",
              "median", "95 %", "largest", "infeas", "unseen", "mist.", "lost", "runs", "95 %");
}

void print_row(const std::string& region, const NamedSearch& search, std::int64_t max_runs,
               const ReplaySummary& summary) {
  std::printf("%-28s %-11s %8s %9.2f %9.2f %9.2f %6zu %6zu %6zu %6zu %7lld %7lld\n", region.c_str(),
              std::string(search.name).c_str(), search.uses_max_runs ? std::to_string(max_runs).c_str() : "-",
              100 * summary.median_regret, 100 * summary.regret_95, 100 * summary.largest_regret,
              summary.infeasible_choices, summary.unseen, summary.mistaken, summary.lost,
              static_cast<long long>(summary.median_runs), static_cast<long long>(summary.runs_95));
  std::fflush(stdout);
}

void compare(const RegionSource& source, const NamedSearch& search, std::int64_t max_runs,
             const Settings& settings) {
  const std::vector<Replay> replays =
      replay_many(source, search, {settings.seeds, max_runs, settings.threads});
  if (settings.as_json || settings.curve) {
    std::printf("%s\n", json_of(source.name, search, max_runs, replays, settings.curve).dump().c_str());
    std::fflush(stdout);
  } else {
    print_row(source.name, search, max_runs, summarize(replays));
  }
}

void compare_all(const std::vector<RegionSource>& sources, const Settings& settings) {
  for (const RegionSource& source : sources) {
    for (const NamedSearch& search : search_replay::all_searches()) {
      if (!settings.searches.empty() && std::find(settings.searches.begin(), settings.searches.end(),
                                                  search.name) == settings.searches.end()) {
        continue;
      }
      const std::size_t budgets = search.uses_max_runs ? settings.max_runs.size() : 1;
      for (std::size_t i = 0; i < budgets; ++i) {
        compare(source, search, settings.max_runs[i], settings);
      }
    }
  }
}

std::vector<std::string> search_names() {
  std::vector<std::string> names;
  for (const NamedSearch& search : search_replay::all_searches()) {
    names.emplace_back(search.name);
  }
  return names;
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names{every_kind};
  for (const auto& kind : search_replay::made_up::all_kinds()) {
    names.emplace_back(kind.name);
  }
  return names;
}

std::vector<RegionSource> sources_of(const Settings& settings) {
  std::vector<RegionSource> sources;
  for (const std::string& file : settings.files) {
    sources.push_back(search_replay::recorded_source(file));
  }
  for (const auto& kind : search_replay::made_up::all_kinds()) {
    const auto wanted = [&](const std::string& name) { return name == every_kind || name == kind.name; };
    if (std::any_of(settings.made_up.begin(), settings.made_up.end(), wanted)) {
      sources.push_back(search_replay::made_up_source(kind));
    }
  }
  return sources;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app{"Searches on recorded and made-up regions"};
  app.add_option("FILE", settings.files, "recorded regions")->check(CLI::ExistingFile);
  app.add_option("--made-up", settings.made_up, "kinds of made-up regions, or all")
      ->delimiter(',')
      ->check(CLI::IsMember(kind_names()));
  app.add_option("--search", settings.searches, "searches; all of them if left out")
      ->delimiter(',')
      ->check(CLI::IsMember(search_names()));
  app.add_option("--runs", settings.max_runs, "the most runs of a region")
      ->delimiter(',')
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--seeds", settings.seeds, "replays of a row")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--threads", settings.threads, "threads; the results do not depend on them")
      ->check(CLI::Range(1, 1024));
  app.add_flag("--json", settings.as_json, "a JSON object a row instead of a table");
  app.add_flag("--curve", settings.curve, "JSON that also has the regret over runs, for search/figure.py");
  return run_program(app, argc, argv, [&] {
    const std::vector<RegionSource> sources = sources_of(settings);
    if (!settings.as_json && !settings.curve) {
      print_head(settings.seeds);
    }
    compare_all(sources, settings);
    return 0;
  });
}
