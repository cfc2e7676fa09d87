/* Arenas and buffers: alignment, reuse after a mark, remembered failure. */
#include "support/test.h"
#include "base/arena.h"
#include "base/buffer.h"

static void pieces_are_aligned_and_apart(void **state) {
  (void)state;
  svf_arena arena = {0};
  unsigned char *last = NULL;
  for (size_t size = 1; size < 200000; size = size * 3 + 1) {
    unsigned char *piece = svf_arena_take(&arena, size, 1);
    assert_non_null(piece);
    assert_int_equal((uintptr_t)piece % 64, 0);
    memset(piece, 0xAB, size);
    if (last) assert_int_equal(last[0], 0xAB);
    last = piece;
  }
  svf_arena_free(&arena);
}

static void a_mark_gives_the_same_memory_again(void **state) {
  (void)state;
  svf_arena arena = {0};
  svf_arena_take(&arena, 100, 1);
  svf_mark mark = svf_arena_mark(&arena);
  void *a = svf_arena_take(&arena, 1000, 1), *b = svf_arena_take(&arena, 1 << 20, 1);
  svf_arena_release(&arena, mark);
  assert_ptr_equal(svf_arena_take(&arena, 1000, 1), a);
  assert_ptr_equal(svf_arena_take(&arena, 1 << 20, 1), b);
  svf_arena_free(&arena);
}

static void zero_is_zero_after_reuse(void **state) {
  (void)state;
  svf_arena arena = {0};
  svf_mark mark = svf_arena_mark(&arena);
  memset(svf_arena_take(&arena, 500, 1), 7, 500);
  svf_arena_release(&arena, mark);
  unsigned char *piece = svf_arena_zero(&arena, 500, 1);
  for (int i = 0; i < 500; i++) assert_int_equal(piece[i], 0);
  svf_arena_free(&arena);
}

static void failure_is_remembered_and_forgotten_with_its_mark(void **state) {
  (void)state;
  svf_arena arena = {0};
  svf_mark mark = svf_arena_mark(&arena);
  assert_null(svf_arena_take(&arena, SIZE_MAX / 2, 3));
  assert_true(svf_arena_failed(&arena));
  assert_null(svf_arena_take(&arena, 1, 1));
  svf_arena_release(&arena, mark);
  assert_non_null(svf_arena_take(&arena, 1, 1));
  svf_arena_free(&arena);
}

static void buffers_grow(void **state) {
  (void)state;
  svf_buffer buffer = {0};
  for (int i = 0; i < 1000; i++) assert_true(svf_buffer_print(&buffer, "%d,", i));
  assert_true(svf_buffer_align(&buffer, 64));
  assert_int_equal(buffer.size % 64, 0);
  assert_memory_equal(buffer.data, "0,1,2,", 6);
  assert_null(svf_buffer_grow(&buffer, SIZE_MAX / 2));
  assert_true(buffer.failed);
  assert_false(svf_buffer_add(&buffer, "x", 1));
  svf_buffer_free(&buffer);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_are_aligned_and_apart), cmocka_unit_test(a_mark_gives_the_same_memory_again),
      cmocka_unit_test(zero_is_zero_after_reuse), cmocka_unit_test(failure_is_remembered_and_forgotten_with_its_mark),
      cmocka_unit_test(buffers_grow)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
