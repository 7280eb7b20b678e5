// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdio.h>
#include <stdlib.h>

#include "unit.h"

struct ucore_error err;

void assert_words(const char *text, const char *words)
{
	char *copy = strdup(words), *rest = copy, *word;

	while ((word = strsep(&rest, "|"))) {
		if (*word && !strstr(text, word)) {
			print_error("no '%s' in: %s\n", word, text);
			free(copy);
			fail();
		}
	}
	free(copy);
}

struct ucore_device *device_get(void)
{
	struct ucore_device *dev;

	assert_int_equal(ucore_device_open(NULL, &fake_sys, &dev, &err), 0);
	return dev;
}

int resolve(struct ucore_device *dev, const char *text, struct ucore_event *event)
{
	const char *list = text;
	struct ucore_spec spec;
	int ret = ucore_spec_next(&list, &spec, &err);

	if (ret < 0)
		return ret;
	assert_int_equal(ret, 1);
	memset(event, 0xa5, sizeof(*event));
	return ucore_spec_resolve(dev, &spec, event, &err);
}

struct ucore_session *session_get(struct ucore_device *dev,
				  const struct ucore_session_config *config, ...)
{
	struct ucore_session *session;
	struct ucore_event event;
	const char *text;
	va_list args;

	assert_int_equal(ucore_session_create(dev, config, &session, &err), 0);
	va_start(args, config);
	while ((text = va_arg(args, const char *))) {
		if (resolve(dev, text, &event) || ucore_session_add(session, &event, &err))
			fail_msg("%s", err.text);
	}
	va_end(args);
	return session;
}

int fake_setup(void **state)
{
	(void)state;
	fake_reset(2);
	return 0;
}

/* Check that the test closed and unmapped everything */
int fake_teardown(void **state)
{
	int left = (int)(fake.nr_opens + fake.nr_maps);

	(void)state;
	fake_reset(1);
	return left;
}
