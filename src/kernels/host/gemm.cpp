#include "kernels/host/gemm_pack.hpp"
#include "kernels/host/simd.hpp"
#include "kernels/host/thread_pool.hpp"

#include <contextual/dispatch.hpp>
#include <contextual/error.hpp>
#include <contextual/kernels/host/gemm.hpp>

#include <algorithm>
#include <string>

namespace contextual::kernels {

namespace {

using Micro = void (*)(long, const float*, const float*, float*, long, bool);

/// Throws ConfigRejected for a tile that is not instantiated.
Micro micro_kernel(const GemmConfig& config, Isa isa) {
  return dispatch(values<4, 6, 8, 12>(config.mr), values<16, 32>(config.nr),
                  [isa]<int MR, int NR>() -> Micro {
                    return simd::for_isa(isa, []<Isa I>() -> Micro { return &simd::gemm_micro<I, MR, NR>; });
                  });
}

struct Tile {
  Micro micro;
  int mr;
  int nr;
};

/// Part of a tile: computed beside C, so that nothing outside of C is written.
void edge_tile(const Tile& tile, long k, const float* a, const float* b, float* c, long ldc, long rows,
               long columns, bool add) {
  alignas(64) float whole[12 * 32];
  tile.micro(k, a, b, whole, tile.nr, false);
  for (long i = 0; i < rows; ++i) {
    for (long j = 0; j < columns; ++j) {
      const float value = whole[i * tile.nr + j];
      c[i * ldc + j] = add ? c[i * ldc + j] + value : value;
    }
  }
}

/// C block of packed blocks: a column of B's tiles stays in the L1 cache while A's tiles pass.
void block(const Tile& tile, long rows, long columns, long k, const float* a, const float* b, float* c,
           long ldc, bool add) {
  for (long j = 0; j < columns; j += tile.nr) {
    for (long i = 0; i < rows; i += tile.mr) {
      float* to = c + i * ldc + j;
      const long tile_rows = std::min<long>(tile.mr, rows - i);
      const long tile_columns = std::min<long>(tile.nr, columns - j);
      if (tile_rows == tile.mr && tile_columns == tile.nr) {
        tile.micro(k, a + i * k, b + j * k, to, ldc, add);
      } else {
        edge_tile(tile, k, a + i * k, b + j * k, to, ldc, tile_rows, tile_columns, add);
      }
    }
  }
}

/// One thread's share.
void gemm_share(const GemmConfig& config, const Tile& tile, const GemmArgs& args) {
  thread_local PackBuffer packed_a;
  thread_local PackBuffer packed_b;
  const long mc = round_up(std::min<long>(config.mc, args.m), tile.mr);
  const long nc = round_up(std::min<long>(config.nc, args.n), tile.nr);
  const long kc = std::min<long>(config.kc, args.k);
  float* const a = packed_a.reserve(mc * kc);
  float* const b = packed_b.reserve(nc * kc);
  for (long j = 0; j < args.n; j += nc) {
    const long columns = std::min(nc, args.n - j);
    for (long p = 0; p < args.k; p += kc) {
      const long depth = std::min(kc, args.k - p);
      pack_rows(args.b + p * args.ldb + j, args.ldb, depth, columns, tile.nr, b);
      for (long i = 0; i < args.m; i += mc) {
        const long rows = std::min(mc, args.m - i);
        pack_columns(args.a + i * args.lda + p, args.lda, rows, depth, tile.mr, a);
        block(tile, rows, columns, depth, a, b, args.c + i * args.ldc + j, args.ldc,
              args.accumulate || p > 0);
      }
    }
  }
}

/// The share of part `index` of `parts`: whole tiles of the rows, or of the columns.
GemmArgs share_of(const GemmArgs& args, const Tile& tile, bool by_rows, int index, int parts) {
  const long unit = by_rows ? tile.mr : tile.nr;
  const long size = by_rows ? args.m : args.n;
  const long tiles = round_up(size, unit) / unit;
  const long begin = std::min(size, tiles * index / parts * unit);
  const long end = std::min(size, tiles * (index + 1) / parts * unit);
  GemmArgs share = args;
  (by_rows ? share.m : share.n) = end - begin;
  (by_rows ? share.a : share.b) += begin * (by_rows ? args.lda : 1);
  share.c += begin * (by_rows ? args.ldc : 1);
  return share;
}

}  // namespace

void gemm_compute(const GemmConfig& config, const GemmArgs& args, Isa isa) {
  const Tile tile{micro_kernel(config, isa), config.mr, config.nr};
  if (config.mc < 1 || config.kc < 1 || config.nc < 1 || config.threads < 1) {
    throw ConfigRejected("host GEMM: mc, kc, nc and threads must be at least 1, got mc " +
                         std::to_string(config.mc) + ", kc " + std::to_string(config.kc) + ", nc " +
                         std::to_string(config.nc) + ", threads " + std::to_string(config.threads));
  }
  if (args.k == 0 && !args.accumulate) {
    for (long i = 0; i < args.m; ++i) {
      std::fill_n(args.c + i * args.ldc, args.n, 0.0F);
    }
  }
  if (args.m == 0 || args.n == 0 || args.k == 0) {
    return;
  }
  const bool by_rows = args.m > args.n;
  const long tiles = by_rows ? round_up(args.m, tile.mr) / tile.mr : round_up(args.n, tile.nr) / tile.nr;
  const int parts = static_cast<int>(std::min<long>(config.threads, tiles));
  ThreadPool::shared().run(
      parts, [&](int index) { gemm_share(config, tile, share_of(args, tile, by_rows, index, parts)); });
}

}  // namespace contextual::kernels
