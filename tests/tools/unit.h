/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Common definitions of the unit tests of libucore.
 */
#ifndef UNIT_H
#define UNIT_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fake.h"
#include "internal.h"

#define NR(a)	(sizeof(a) / sizeof((a)[0]))

/* Text of the last failure; poisoned before each call that must fail */
extern struct ucore_error err;

/* Expect a failure with an errno and a text with all words of a list separated by "|" */
#define assert_fails(call, code, words) \
	do { \
		memset(err.text, 'x', sizeof(err.text)); \
		assert_int_equal(call, -(code)); \
		assert_words(err.text, words); \
	} while (0)

void assert_words(const char *text, const char *words);

/* Open the fake device, or fail the test */
struct ucore_device *device_get(void);

/* Resolve one spec and return the library's result */
int resolve(struct ucore_device *dev, const char *text, struct ucore_event *event);

/* Create a session with a NULL-terminated list of events */
struct ucore_session *session_get(struct ucore_device *dev,
				  const struct ucore_session_config *config, ...);

int fake_setup(void **state);
int fake_teardown(void **state);

#define TEST(name)	cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)

#define UNIT_MAIN(tests) \
	int main(void) \
	{ \
		cmocka_set_message_output(CM_OUTPUT_TAP); \
		return cmocka_run_group_tests(tests, NULL, NULL); \
	}

#endif /* UNIT_H */
