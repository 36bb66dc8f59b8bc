// A region of the library's own kernels on the CPU, as a user would write it.

#include <contextual/autotuner.hpp>
#include <contextual/kernels/host/kernels.hpp>

#include <cstdio>
#include <vector>

int main() {
  namespace kernels = contextual::kernels;
  constexpr int size = 32;
  const std::vector<float> ones(size * size, 1.0F);
  std::vector<float> product(size * size);
  contextual::ContextualAutotuner tuner{{.search = contextual::SearchLevel::off, .log_directory = ""}};
  tuner.run("product", [&] {
    kernels::gemm()({.a = ones.data(),
                     .b = ones.data(),
                     .c = product.data(),
                     .m = size,
                     .n = size,
                     .k = size,
                     .lda = size,
                     .ldb = size,
                     .ldc = size});
  });
  std::printf("a product of ones is %g\n", product[0]);
  return product[0] == size && product.back() == size ? 0 : 1;
}
