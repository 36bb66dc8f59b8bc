#include <contextual/cuda/program.hpp>

namespace contextual {

CudaSource CudaSource::file(std::filesystem::path path) {
  CudaSource source;
  source.name_ = path.filename().string();
  source.path_ = std::move(path);
  return source;
}

CudaSource CudaSource::text(std::string name, std::string text) {
  CudaSource source;
  source.name_ = std::move(name);
  source.text_ = std::move(text);
  return source;
}

CudaSource& CudaSource::include_directory(std::filesystem::path directory) {
  directories_.push_back(std::move(directory));
  return *this;
}

CudaSource& CudaSource::header(std::string name, std::string text) {
  headers_.push_back({std::move(name), std::move(text)});
  return *this;
}

CudaSource& CudaSource::option(std::string option) {
  options_.push_back(std::move(option));
  return *this;
}

}  // namespace contextual
