/* random.c - see random.h. */
#include "base/random.h"

#include <math.h>

void svf_philox(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4]) {
  uint32_t k0 = key[0], k1 = key[1];
  uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
  for (int round = 0; round < 10; round++) {
    uint64_t a = (uint64_t)0xD2511F53u * c0, b = (uint64_t)0xCD9E8D57u * c2;
    c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
    c1 = (uint32_t)b;
    c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
    c3 = (uint32_t)a;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
}

/* The finaliser of SplitMix64: every input bit reaches every output bit. */
static uint64_t mix(uint64_t z) {
  z += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

uint64_t svf_random_child(uint64_t node, int side) { return mix(2 * node + (uint64_t)side); }

svf_random svf_random_at(svf_place place) {
  uint64_t name = mix(place.seed);
  name = mix(name ^ ((uint64_t)place.use << 32 | place.tree));
  name = mix(name ^ place.trial);
  name = mix(name ^ place.node);
  return (svf_random){.key = {(uint32_t)name, (uint32_t)(name >> 32)}};
}

uint32_t svf_random_u32(svf_random *random) {
  if (random->left == 0) {
    uint32_t counter[4] = {(uint32_t)random->counter, (uint32_t)(random->counter >> 32), 0, 0};
    svf_philox(random->key, counter, random->block);
    random->counter++;
    random->left = 4;
  }
  return random->block[4 - random->left--];
}

uint64_t svf_random_u64(svf_random *random) {
  uint64_t low = svf_random_u32(random);
  return low | (uint64_t)svf_random_u32(random) << 32;
}

double svf_random_unit(svf_random *random) { return (double)(svf_random_u64(random) >> 11) * 0x1p-53; }

uint64_t svf_random_below(svf_random *random, uint64_t bound) {
  uint64_t draw = svf_random_u64(random);
  if (draw < bound) {               /* so that most draws need one division */
    uint64_t rest = -bound % bound; /* 2^64 mod bound: draws below it are drawn again */
    while (draw < rest) draw = svf_random_u64(random);
  }
  return draw % bound;
}

double svf_random_normal(svf_random *random) {
  double u = 1 - svf_random_unit(random), v = svf_random_unit(random);
  return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

void svf_random_shuffle(svf_random *random, uint32_t *items, size_t count) {
  enum { AHEAD = 32 }; /* of a long list, most places are far away: draws run ahead and ask for them early */
  size_t j[AHEAD];
  for (size_t end = count; end > 1;) {
    size_t some = end - 1 < AHEAD ? end - 1 : AHEAD;
    for (size_t q = 0; q < some; q++) {
      j[q] = (size_t)svf_random_below(random, end - q);
      __builtin_prefetch(items + j[q], 1);
    }
    for (size_t q = 0; q < some; q++) {
      uint32_t t = items[--end];
      items[end] = items[j[q]];
      items[j[q]] = t;
    }
  }
}
