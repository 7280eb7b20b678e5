/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the unit tests of libucore share.
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

/* The message of the last failure; poisoned before each call that fails */
extern struct ucore_error err;

/* A failure with its errno, whose message has all the words of a "|" list */
#define assert_fails(call, code, words) \
	do { \
		memset(err.text, 'x', sizeof(err.text)); \
		assert_int_equal(call, -(code)); \
		assert_words(err.text, words); \
	} while (0)

void assert_words(const char *text, const char *words);

/* Fresh device on the fake, or the end of the test */
struct ucore_device *device_get(void);

/* Resolve one spec: the library's answer */
int resolve(struct ucore_device *dev, const char *text, struct ucore_event *event);

/* Session on the device with one event after the other, NULL ends them */
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
