#pragma once

/// \file
/// What must hold for every trace, and access to its slices.

#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace report_test {

/// The names of the processes by their ids.
inline std::map<int, std::string> processes(const nlohmann::json& trace) {
  std::map<int, std::string> names;
  for (const nlohmann::json& event : trace.at("traceEvents")) {
    if (event.at("name").get<std::string>() == "process_name") {
      names[event.at("pid").get<int>()] = event.at("args").at("name").get<std::string>();
    }
  }
  return names;
}

/// The slices of a process with this name.
inline std::vector<nlohmann::json> slices(const nlohmann::json& trace, const std::string& process,
                                          const std::string& name) {
  std::map<int, std::string> names = processes(trace);
  std::vector<nlohmann::json> found;
  for (const nlohmann::json& event : trace.at("traceEvents")) {
    if (event.at("ph").get<std::string>() == "X" && names[event.at("pid").get<int>()] == process &&
        event.at("name").get<std::string>() == name) {
      found.push_back(event);
    }
  }
  return found;
}

/// Checks that no slice has a negative length or overlaps another one of its thread, that every thread has a
/// name, and that all slices of a process are within its iteration. Returns the names of the processes in
/// their order.
inline std::vector<std::string> check_trace(const nlohmann::json& trace) {
  using nlohmann::json;
  std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> by_thread;
  std::map<int, std::pair<double, double>> iterations;
  std::map<std::pair<int, int>, std::string> threads;
  const double rounding_us = 1e-6;
  for (const json& event : trace.at("traceEvents")) {
    const std::pair<int, int> thread{event.at("pid").get<int>(), event.at("tid").get<int>()};
    if (event.at("name").get<std::string>() == "thread_name") {
      threads[thread] = event.at("args").at("name").get<std::string>();
    } else if (event.at("ph").get<std::string>() == "X") {
      const double begin = event.at("ts").get<double>();
      CHECK(begin >= 0);
      CHECK(event.at("dur").get<double>() > 0);
      by_thread[thread].emplace_back(begin, begin + event.at("dur").get<double>());
      if (threads.at(thread) == "iteration") {
        CHECK(iterations.emplace(thread.first, by_thread[thread].back()).second);
      }
    }
  }
  for (auto& [thread, spans] : by_thread) {
    std::sort(spans.begin(), spans.end());
    for (std::size_t i = 0; i < spans.size(); ++i) {
      INFO("process " << thread.first << ", " << threads.at(thread) << ", slice " << i);
      CHECK(spans[i].first >= iterations.at(thread.first).first - rounding_us);
      CHECK(spans[i].second <= iterations.at(thread.first).second + rounding_us);
      CHECK((i == 0 || spans[i].first >= spans[i - 1].second - rounding_us));
    }
  }
  std::vector<std::string> names;
  for (const auto& [process, name] : processes(trace)) {
    CHECK(iterations.count(process) == 1);
    names.push_back(name);
  }
  return names;
}

}  // namespace report_test
