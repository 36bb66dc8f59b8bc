#include <contextual/detail/tuning/load_notes.hpp>

namespace contextual::detail {
namespace {

thread_local LoadNotes* listening = nullptr;

}  // namespace

LoadNotes::LoadNotes() : before_(listening) {
  listening = this;
}

LoadNotes::~LoadNotes() {
  listening = before_;
}

void LoadNotes::say(const std::string& text) {
  if (listening != nullptr) {
    listening->texts_.push_back(text);
  }
}

bool LoadNotes::tries() noexcept {
  if (listening != nullptr) {
    listening->tried_ = true;
  }
  return listening != nullptr;
}

}  // namespace contextual::detail
