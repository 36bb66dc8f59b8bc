/// A consumer that waits for a flag, and the producer that sets it. ROUND makes each round's code new.

/// Waits until `flag` reaches `epoch`, at most `budget_ns`; out[0] = value + 1, out[1] = the epoch; out[1] = -1
/// when it waited in vain.
extern "C" __global__ void consume(int* out, const volatile int* flag, const volatile int* value, int epoch,
                                   unsigned long long budget_ns) {
  unsigned long long begin;
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  do {
    if (*flag >= epoch) {
      __threadfence();
      out[0] = *value + 1 + 0 * ROUND;
      out[1] = epoch;
      return;
    }
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - begin < budget_ns);
  out[0] = 0;
  out[1] = -1;
}

extern "C" __global__ void produce(int* value, volatile int* flag, int epoch) {
  *value = 7 * epoch + 0 * ROUND;
  __threadfence();
  *flag = epoch;
}
