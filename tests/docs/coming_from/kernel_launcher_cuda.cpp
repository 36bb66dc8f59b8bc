// section: Kernel Launcher
#include "docs/coming_from/scale_kernel.hpp"

using namespace coming_from;

// row: `KernelBuilder("name", "file.cu", space)`
TEST_CASE("Kernel Launcher: a kernel is made of a file, which is read when it is needed", "[unit]") {
  contextual::CudaKernelDefinition<Tile, float*, int> definition = scale_definition();
  definition.source = contextual::CudaSource::file("file.cu");
  const contextual::CudaKernel<Tile, float*, int> kernel{"name", blocks(), scale_key, definition};
  CHECK(kernel.name() == "name");
}

// row: `template_args`, `define`, `compiler_flags`
TEST_CASE("Kernel Launcher: function, macros and options are computed from the config", "[unit]") {
  const auto variant_of = [](const Tile& tile) {
    return contextual::CudaVariant{.function = "scale<" + std::to_string(tile.block) + ">",
                                   .defines = {{"BLOCK", std::to_string(tile.block)}},
                                   .options = {"--use_fast_math"}};
  };
  CHECK(variant_of({128}).function == "scale<128>");
}

// row: `problem_size`, `block_size`, `grid_divisors`, `shared_memory`, as expressions
TEST_CASE("Kernel Launcher: a launch's layout is computed from config and arguments", "[unit]") {
  const auto layout_of = [](const Tile& tile, unsigned n) {
    const auto block = static_cast<unsigned>(tile.block);
    return contextual::CudaLayout{
        .grid = {(n + block - 1) / block}, .block = {block}, .dynamic_shared_bytes = 4 * block};
  };
  CHECK(layout_of({128}, 1000).grid.x == 8);
}

// row: `WisdomKernel`, `PragmaKernel`
TEST_CASE("Kernel Launcher: the kernel object is called like a function, with a stream", "[unit]") {
  using Kernel = contextual::CudaKernel<Tile, float*, int>;
  STATIC_REQUIRE(std::is_invocable_v<Kernel&, CUstream, float*, int>);
}
