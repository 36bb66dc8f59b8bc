/// norms[r] = 1 / sqrt(mean of the squares of row r): one block a row, four elements a load.
/// BLOCK: threads, a multiple of 32; LOADS: loads a thread has under way.

extern "C" __global__ void __launch_bounds__(BLOCK) row_norm(float* norms, const float4* rows, int columns) {
  __shared__ float sums[BLOCK / 32];
  const float4* row = rows + static_cast<long long>(blockIdx.x) * (columns / 4);
  float sum = 0;
  for (int first = threadIdx.x; first < columns / 4; first += BLOCK * LOADS) {
    float4 x[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; ++k) {
      const int i = first + k * BLOCK;
      x[k] = i < columns / 4 ? row[i] : make_float4(0, 0, 0, 0);
    }
#pragma unroll
    for (int k = 0; k < LOADS; ++k) {
      sum += x[k].x * x[k].x + x[k].y * x[k].y + x[k].z * x[k].z + x[k].w * x[k].w;
    }
  }
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    sum += __shfl_xor_sync(~0U, sum, lanes);
  }
  if (threadIdx.x % 32 == 0) {
    sums[threadIdx.x / 32] = sum;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int warp = 1; warp < BLOCK / 32; ++warp) {
      sum += sums[warp];
    }
    norms[blockIdx.x] = rsqrtf(sum / columns);
  }
}
