#include "report/reading/line_splitter.hpp"

#include <algorithm>
#include <cstring>

namespace contextual::log_report {
namespace {

constexpr std::size_t buffer_bytes = 65'536;

}  // namespace

LineSplitter::LineSplitter(std::istream& stream, std::uint64_t size)
    : stream_(&stream), left_(size), buffer_(buffer_bytes) {}

bool LineSplitter::next() {
  line_.clear();
  too_long_ = false;
  complete_ = false;
  bool any = false;
  while (!complete_ && (begin_ < end_ || fill())) {
    any = true;
    const char* first = buffer_.data() + begin_;
    const void* found = std::memchr(first, '\n', end_ - begin_);
    complete_ = found != nullptr;
    const std::size_t count = complete_ ? static_cast<const char*>(found) - first : end_ - begin_;
    too_long_ = too_long_ || line_.size() + count > max_line_bytes;
    if (!too_long_) {
      line_.append(first, count);
    }
    begin_ += count + (complete_ ? 1 : 0);
  }
  return any;
}

bool LineSplitter::fill() {
  stream_->read(buffer_.data(), static_cast<std::streamsize>(std::min<std::uint64_t>(buffer_.size(), left_)));
  begin_ = 0;
  end_ = static_cast<std::size_t>(stream_->gcount());
  left_ -= end_;
  return end_ > 0;
}

}  // namespace contextual::log_report
