// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz test of metrics.  The first line of the input is the argument of -M, the others are a
 * file of definitions.  Each input must end with a value, no value or an error, and after an
 * error the session must be unchanged.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

static void check(bool right, const char *what)
{
	if (right)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

/* Check that an error has one printable line and a valid errno */
static void check_refusal(int ret, const struct ucore_error *err)
{
	check(ret == -EINVAL || ret == -ENOENT || ret == -ENXIO || ret == -ENOSPC ||
	      ret == -ERANGE || ret == -EADDRINUSE, "an errno that nobody expects");
	check(memchr(err->text, 0, sizeof(err->text)), "an explanation without an end");
	check(*err->text, "no explanation");
	for (const char *at = err->text; *at; at++)
		check((unsigned char)*at >= ' ' && *at != 0x7f, "a control character");
}

static int load(struct ucore_metrics *metrics, const char *text, size_t size,
		struct ucore_error *err)
{
	FILE *stream = size ? fmemopen((void *)text, size, "r") : NULL;
	int ret;

	if (!stream)
		return 0;
	ret = ucore_metrics_load(metrics, stream, "file", err);
	fclose(stream);
	return ret;
}

static void values_check(struct ucore_metrics *metrics, struct ucore_session *session)
{
	const struct ucore_metric_value *value;
	struct ucore_snapshot snap;
	struct ucore_delta *delta;

	check(!ucore_delta_create(session, &delta, NULL), "no delta");
	check(!ucore_session_start(session, NULL), "does not start");
	check(!ucore_session_read(session, 0, &snap, NULL), "does not read");
	ucore_delta_update(delta, &snap);
	ucore_metrics_evaluate(metrics, delta);
	for (size_t i = 0; (value = ucore_metrics_value(metrics, i)); i++)
		check(__builtin_isnan(value->value) || __builtin_isfinite(value->value),
		      "an infinite value");
	ucore_delta_free(delta);
}

static void metrics_try(struct ucore_device *dev, const char *list, const char *file, size_t size)
{
	struct ucore_error err = { "" };
	struct ucore_session *session;
	struct ucore_metrics *metrics;
	int ret;

	check(!ucore_session_create(dev, NULL, &session, NULL), "no session");
	check(!ucore_metrics_create(dev, &metrics, NULL), "no metrics");
	ret = load(metrics, file, size, &err);
	if (!ret)
		ret = ucore_metrics_choose(metrics, list, &err);
	if (!ret)
		ret = ucore_metrics_attach(metrics, session, 1U << size % 3, &err);
	if (ret) {
		check_refusal(ret, &err);
		check(!ucore_session_event(session, 0), "events are left");
	} else if (ucore_metrics_value(metrics, 0)) {
		values_check(metrics, session);
	}
	ucore_metrics_free(metrics);
	ucore_session_destroy(session);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static struct ucore_device *dev;
	const unsigned char *end = memchr(data, '\n', size);
	size_t length = end ? (size_t)(end - data) : size;
	char *list;

	if (!dev) {
		fake_reset(2);
		check(!ucore_device_open(NULL, &fake_sys, &dev, NULL), "no device");
	}
	list = calloc(1, length + 1);
	memcpy(list, data, length);
	metrics_try(dev, list, (const char *)data + length, size - length);
	free(list);
	return 0;
}
