// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Default families of the exporter: check that they are complete on each platform.
 */
#include <stdio.h>

#include "export/families.h"
#include "unit.h"

static const struct {
	const char *machine, *platform;
	uint64_t ports;		/* mask of the ports of an IIO stack (0: no stack) */
	bool links;
	unsigned int missing;	/* number of families of the last-level cache that it does not have */
} platforms[] = {
	{ "ivbep", "snbep", 0, true }, { "ivbep", "ivbep", 0, true },
	{ "hswep", "hswep", 0, true }, { "hswep", "bdxep", 0, true },
	{ "bdxde", "bdxde", 0, false }, { "skx", "skx", 0xf, true },
	{ "skx", "clx", 0xf, true }, { "skx", "cpx", 0xf, true }, { "icx", "icx", 0xff, true },
	{ "snr", "snr", 0xff, false }, { "spr", "spr", 0xff, true },
	{ "spr", "emr", 0xff, true }, { "gnr", "gnr", 0xff, true },
	{ "gnr", "srf", 0xff, true }, { "gnr", "grr", 0xff, false },
	{ "gnr", "cwf", 0xff, true },
	{ "skl", "snb", 0, false, 1 }, { "skl", "ivb", 0, false, 1 }, { "skl", "hsw", 0, false, 1 },
	{ "skl", "bdw", 0, false, 1 }, { "skl", "skl", 0, false, 1 }, { "icl", "icl", 0, false, 2 },
	{ "skl", "rkl", 0, false, 2 }, { "tgl", "tgl", 0, false, 2 },
	{ "tgl", "tglh", 0, false, 2 }, { "adl", "adl", 0, false, 2 },
	{ "mtl", "mtl", 0, false, 2 }, { "mtl", "arl", 0, false, 2 },
	{ "mtl", "lnl", 0, false, 3 }, { "ptl", "ptl", 0, false, 2 },
	{ "nhm", "nhm", 0, false, 1 }, { "nhm", "wsm", 0, false, 1 },
};

/* Find the first event of a family that the machine has, as the exporter does */
static const char *const *way_of(struct ucore_device *dev, const struct family *family)
{
	struct ucore_event event;

	for (int way = 0; way < FAMILY_WAYS && family->ways[way][0]; way++) {
		int ret = 0;

		for (int i = 0; i < FAMILY_EVENTS && family->ways[way][i] && !ret; i++)
			ret = resolve(dev, family->ways[way][i], &event);
		if (!ret)
			return family->ways[way];
	}
	return NULL;
}

static uint64_t value_of(const struct ucore_event *event, uint32_t field)
{
	for (unsigned int i = 0; i < event->nr_terms; i++)
		if (event->terms[i].field == field)
			return event->terms[i].value;
	return UINT64_MAX;
}

static void stacks_are_counted_whole(struct ucore_device *dev, const char *spec, size_t p)
{
	struct ucore_event event;

	assert_int_equal(resolve(dev, spec, &event), 0);
	if (value_of(&event, UCORE_FIELD_CH_MASK) != platforms[p].ports ||
	    value_of(&event, UCORE_FIELD_FC_MASK) != 7)
		fail_msg("%s: %s has not the ports %#llx", platforms[p].platform, spec,
			 (unsigned long long)platforms[p].ports);
}

/* Check that all families of the platform exist, and all ports of a stack */
static void platform_families_are_complete(void **state)
{
	size_t nr = 0;

	(void)state;
	while (ucore_platform_at(nr))
		nr++;
	/* skip the tables of core events: "core", "atom" */
	assert_int_equal(NR(platforms), nr - 2);
	for (size_t p = 0; p < NR(platforms); p++) {
		unsigned int missing = 0;
		struct ucore_device *dev;

		fake_machine(platforms[p].machine, 1);
		strcpy(fake.platform, platforms[p].platform);
		dev = device_get();
		for (size_t f = 0; f < NR_FAMILIES; f++) {
			const char *const *specs = way_of(dev, &families[f]);
			bool io = !strcmp(families[f].collector, "io");
			bool links = !strcmp(families[f].collector, "links");
			bool due = io ? platforms[p].ports != 0 : !links || platforms[p].links;

			if (!specs && !strcmp(families[f].collector, "llc")) {
				missing++;
				continue;
			}
			if (!specs == due)
				fail_msg("%s: %s", platforms[p].platform, families[f].name);
			if (specs && io)
				stacks_are_counted_whole(dev, specs[0], p);
		}
		assert_int_equal(missing, platforms[p].missing);
		ucore_device_close(dev);
	}
}

static const struct CMUnitTest tests[] = {
	TEST(platform_families_are_complete),
};

UNIT_MAIN(tests)
