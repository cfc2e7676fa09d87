/* test_buffer.c - bytes are appended in order; nothing appended to an empty buffer is no failure. */
#include "support/test.h"
#include "base/buffer.h"

#include <stdint.h>

static void nothing_is_no_failure(void **state) {
  (void)state;
  svf_buffer buffer = {0};
  assert_non_null(svf_buffer_grow(&buffer, 0));
  svf_buffer_free(&buffer);
  assert_true(svf_buffer_add(&buffer, NULL, 0));
  svf_buffer_free(&buffer);
  assert_true(svf_buffer_align(&buffer, 8));
  svf_buffer_free(&buffer);
  assert_true(svf_buffer_print(&buffer, "%s", ""));
  assert_int_equal(buffer.size, 0);
  svf_buffer_free(&buffer);
}

static void pieces_in_order(void **state) {
  (void)state;
  svf_buffer buffer = {0};
  for (int i = 0; i < 1000; i++) {
    assert_true(svf_buffer_print(&buffer, "%d,", i));
    assert_true(svf_buffer_align(&buffer, 8));
    assert_true(svf_buffer_add(&buffer, "abcdefgh", 8));
  }
  assert_int_equal(buffer.size, 16 * 1000);
  assert_memory_equal(buffer.data + 16 * 999, "999,\0\0\0\0abcdefgh", 16);
  svf_buffer_free(&buffer);
}

static void reserved_room_is_not_moved(void **state) {
  (void)state;
  svf_buffer buffer = {0};
  assert_true(svf_buffer_reserve(&buffer, 0));
  assert_true(svf_buffer_add(&buffer, "kept", 4));
  assert_true(svf_buffer_reserve(&buffer, 100000));
  assert_int_equal(buffer.size, 4);
  const unsigned char *data = buffer.data;
  for (int i = 0; i < 10000; i++) assert_true(svf_buffer_add(&buffer, "0123456789", 10));
  assert_ptr_equal(buffer.data, data);
  assert_memory_equal(buffer.data, "kept0123456789", 14);
  assert_false(svf_buffer_reserve(&buffer, SIZE_MAX));
  assert_true(buffer.failed);
  svf_buffer_free(&buffer);
}

static void failure_is_remembered(void **state) {
  (void)state;
  svf_buffer buffer = {0};
  assert_true(svf_buffer_add(&buffer, "kept", 4));
  assert_null(svf_buffer_grow(&buffer, SIZE_MAX));
  assert_false(svf_buffer_add(&buffer, "x", 1));
  assert_true(buffer.failed);
  assert_memory_equal(buffer.data, "kept", 4);
  svf_buffer_free(&buffer);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_no_failure), cmocka_unit_test(pieces_in_order),
                                     cmocka_unit_test(reserved_room_is_not_moved),
                                     cmocka_unit_test(failure_is_remembered)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
