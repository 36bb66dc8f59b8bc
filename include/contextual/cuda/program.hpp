#pragma once

/// \file
/// CUDA C++ that is compiled at run time: the source, and what a config makes of it.

#include <contextual/export.hpp>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace contextual {

/// CUDA C++ source with its headers. Value type; nothing is read before the first compilation.
class CONTEXTUAL_API CudaSource {
 public:
  /// The file is read when it is compiled for the first time; its folder is searched for `#include "..."`.
  static CudaSource file(std::filesystem::path path);
  /// Embedded; `name` is what compiler messages call it.
  static CudaSource text(std::string name, std::string text);

  CudaSource& include_directory(std::filesystem::path directory);
  /// An embedded header, found by `#include "name"` and `#include <name>`.
  CudaSource& header(std::string name, std::string text);
  /// For every config, e.g. "--use_fast_math". Architecture and language level are set already.
  CudaSource& option(std::string option);

  struct Header {
    std::string name;
    std::string text;
  };
  const std::string& name() const noexcept { return name_; }
  const std::filesystem::path& path() const noexcept { return path_; }  ///< empty: embedded
  const std::string& embedded() const noexcept { return text_; }
  const std::vector<std::filesystem::path>& include_directories() const noexcept { return directories_; }
  const std::vector<Header>& headers() const noexcept { return headers_; }
  const std::vector<std::string>& options() const noexcept { return options_; }

 private:
  std::string name_;
  std::filesystem::path path_;
  std::string text_;
  std::vector<std::filesystem::path> directories_;
  std::vector<Header> headers_;
  std::vector<std::string> options_;
};

/// One config's variant of a source.
struct CudaVariant {
  /// The kernel: the name of an extern "C" function, or an expression that names a template's instance, e.g.
  /// "gemm<128, 4>".
  std::string function{};
  std::vector<std::pair<std::string, std::string>> defines{};  ///< macro and value
  std::vector<std::string> options{};                          ///< further ones of NVRTC
};

/// In threads, blocks, or blocks of a cluster.
struct CudaDim {
  unsigned x = 1;
  unsigned y = 1;
  unsigned z = 1;

  friend bool operator==(const CudaDim&, const CudaDim&) = default;
};

/// How one launch is laid out.
struct CudaLayout {
  CudaDim grid{};     ///< in blocks
  CudaDim block{};    ///< in threads
  CudaDim cluster{};  ///< in blocks; 1 x 1 x 1: none
  unsigned dynamic_shared_bytes = 0;
  /// May begin before the kernel launched before it on the stream has ended (programmatic dependent launch).
  bool programmatic_stream_serialization = false;

  friend bool operator==(const CudaLayout&, const CudaLayout&) = default;
};

}  // namespace contextual
