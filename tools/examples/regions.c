// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * regions: memory traffic of the phases of a program, measured with libucore.
 *
 * main() creates the session and the regions once.  Each phase of the program is enclosed by
 * ucore_region_begin() and ucore_region_end(), which make one system call each.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libucore.h>

#define SIZE	(16UL << 20)
#define ROUNDS	4

static struct ucore_error err;

static void check(int result)
{
	if (result >= 0)
		return;
	fprintf(stderr, "%s\n", err.text);
	exit(1);
}

/* In a thread that has not joined, ucore_region_begin() and ucore_region_end() have no effect */
static uint64_t work(uint64_t *data, uint64_t *copy)
{
	uint64_t sum = 0;

	ucore_region_begin("solve");
	for (int round = 0; round < ROUNDS; round++) {
		ucore_region_begin("fill");
		memset(data, round, SIZE);
		ucore_region_end("fill");
		ucore_region_begin("copy");
		memcpy(copy, data, SIZE);
		ucore_region_end("copy");
		sum += copy[(size_t)round];
	}
	ucore_region_end("solve");
	return sum;
}

static void results_print(const struct ucore_regions *regions, struct ucore_metrics *metrics)
{
	const struct ucore_metric_value *value;
	const struct ucore_region *region;

	for (size_t i = 0; (region = ucore_regions_at(regions, i)); i++) {
		printf("%s: %llu times, %.6f s\n", ucore_region_name(region),
		       (unsigned long long)ucore_region_count(region),
		       (double)ucore_region_time(region) / 1e9);
		ucore_metrics_evaluate(metrics, ucore_region_delta(region));
		for (size_t m = 0; (value = ucore_metrics_value(metrics, m)); m++)
			printf("\t%-24s %12.1f %s\n", value->metric->name, value->value,
			       value->metric->unit);
	}
}

int main(int argc, char **argv)
{
	const char *wanted = argc > 1 ? argv[1] : "memory_bandwidth_read,memory_bandwidth_write";
	uint64_t *data = malloc(SIZE), *copy = malloc(SIZE);
	struct ucore_device *dev;
	struct ucore_session *session;
	struct ucore_metrics *metrics;
	struct ucore_regions *regions;

	if (!data || !copy)
		return 1;
	check(ucore_device_open(NULL, NULL, &dev, &err));
	check(ucore_session_create(dev, NULL, &session, &err));
	check(ucore_metrics_create(dev, &metrics, &err));
	check(ucore_metrics_choose(metrics, wanted, &err));
	check(ucore_metrics_attach(metrics, session, UCORE_LEVEL_SYSTEM, &err));
	check(ucore_regions_create(session, 0, 0, &regions, &err));
	check(ucore_regions_join(regions, &err));
	check(ucore_session_start(session, &err));

	work(data, copy);
	results_print(regions, metrics);

	ucore_regions_free(regions);
	ucore_metrics_free(metrics);
	ucore_session_destroy(session);
	ucore_device_close(dev);
	free(copy);
	free(data);
	return 0;
}
