#include "report/trace/trace_events.hpp"

#include <utility>

namespace contextual::log_report {

void TraceEvents::add_name(const char* what, std::size_t process, std::size_t thread,
                           const std::string& name) {
  events_.push_back({{"ph", "M"},
                     {"name", what + std::string("_name")},
                     {"pid", process},
                     {"tid", thread},
                     {"args", TraceJson::object({{"name", name}})}});
  events_.push_back({{"ph", "M"},
                     {"name", what + std::string("_sort_index")},
                     {"pid", process},
                     {"tid", thread},
                     {"args", TraceJson::object({{"sort_index", thread == 0 ? process : thread}})}});
}

std::size_t TraceEvents::add_process(const std::string& name) {
  add_name("process", ++processes_, 0, name);
  return processes_;
}

std::size_t TraceEvents::add_thread(std::size_t process, const std::string& name) {
  add_name("thread", process, ++threads_, name);  // no two processes share a number
  return threads_;
}

void TraceEvents::add_slice(std::size_t process, std::size_t thread, const std::string& name, double begin_ns,
                            double end_ns, TraceJson details) {
  events_.push_back({{"ph", "X"},
                     {"name", name},
                     {"pid", process},
                     {"tid", thread},
                     {"ts", begin_ns / ns_per_us},
                     {"dur", (end_ns - begin_ns) / ns_per_us},
                     {"args", std::move(details)}});
}

void TraceEvents::add_mark(std::size_t process, const std::string& name, double at_ns, TraceJson details) {
  events_.push_back({{"ph", "i"},
                     {"s", "p"},
                     {"name", name},
                     {"pid", process},
                     {"tid", 0},
                     {"ts", at_ns / ns_per_us},
                     {"args", std::move(details)}});
}

}  // namespace contextual::log_report
