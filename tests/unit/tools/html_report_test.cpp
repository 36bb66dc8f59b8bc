#include "report/plot_axis.hpp"
#include "report/report.hpp"
#include "report/svg_plot.hpp"
#include "sample_logs.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <limits>

using namespace contextual::log_report;
using namespace report_test;

namespace {

std::string page_of(const std::vector<std::string>& files) {
  return html_report(make_report("logs", read(files), {}), {});
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) {
    ++found;
  }
  return found;
}

}  // namespace

TEST_CASE("html_report: a plot for each kernel, one of the region and one of the choices", "[unit]") {
  const std::string page = page_of(files_of({.ranks = 3}));
  CHECK(count(page, "data-plot=\"configs\"") == 2);
  CHECK(count(page, "data-plot=\"region\" data-marks=\"16\"") == 1);
  CHECK(count(page, "data-plot=\"choices\" data-marks=\"6\"") == 1);
  CHECK(count(page, "class=\"choice usual\"") == 6);
  CHECK(count(page, "class=\"choice odd\"") == 0);
}

TEST_CASE("html_report: names from logs are text, never markup", "[unit]") {
  const SampleRun evil{.region = "</title><script>alert(1)</script>\"'&"};
  const std::string page = page_of(files_of(evil));
  CHECK(page.find("<script") == std::string::npos);
  CHECK_THAT(page, ContainsSubstring("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;"));
}

TEST_CASE("html_report: nothing is fetched and nothing is a script", "[unit]") {
  const std::string page = page_of(files_of({}));
  for (const char* part : {"http://", "https://", "src=", "@import", "url(", "<script"}) {
    CHECK(page.find(part) == std::string::npos);
  }
}

TEST_CASE("html_report: a rank that chose otherwise stands out", "[unit]") {
  std::vector<std::string> files = files_of({.ranks = 3});
  const std::string choice = "\"event\":\"choice\"";
  const std::size_t at = files[2].find("\"config_id\":1", files[2].find(choice));
  files[2].replace(at, 13, "\"config_id\":2");
  const std::string page = page_of(files);
  CHECK(count(page, "class=\"choice odd\"") == 1);
  CHECK_THAT(page, ContainsSubstring("Ranks disagree"));
}

TEST_CASE("html_report: marks are bounded for a run of very many iterations", "[unit]") {
  Events events = events_of({.ranks = 1}, 0);
  const auto launch = std::get<contextual::store::LaunchRow>(events[2]);
  for (int i = 0; i < 20'000; ++i) {
    auto more = launch;
    more.tuning_iteration = 100 + i;
    more.role = "repeat";
    events.insert(events.end() - 1, more);
  }
  const std::string page = page_of({lines_of(events)});
  CHECK(count(page, "class=\"mark\"") < 3'000);
  CHECK(page.size() < 2'000'000);
}

TEST_CASE("Axis: any values give finite positions inside", "[unit]") {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto& [low, high] : std::vector<std::pair<double, double>>{{0, 0},
                                                                        {5, 5},
                                                                        {1, 1e18},
                                                                        {-1, 1},
                                                                        {1e-300, 1e300},
                                                                        {infinity, -infinity},
                                                                        {3, 2},
                                                                        {0, 1e308},
                                                                        {-1e308, 1e308}}) {
    const Axis axis(low, high, 10, 20, true);
    for (const double value : {low, high, 0.0, -1e308, 1e308, infinity, std::nan("")}) {
      INFO(low << " to " << high << " at " << value);
      CHECK(axis.position(value) >= 10);
      CHECK(axis.position(value) <= 20);
    }
    CHECK(axis.ticks(4).size() <= 64);
  }
}
