// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Choice of the columns of a panel on platforms that lack some of them.  The panels of this
 * test replace panel_table.c.
 */
#include "top/panel.h"
#include "unit.h"

#define THERE(name)	name "=a/seconds; a=UNC_M_CAS_COUNT.RD; unit=/s"
#define LACKING(name)	name "=a/seconds; a=UNC_M_NOSUCH; unit=/s"

const struct panel_desc panel_descs[] = {
	{ "whole", "Half a group hides no whole one", UCORE_LEVEL_BOX, {
		{ "A", "/s", NUMBER_BAR, 0, { LACKING("half_a") } },
		{ "B", "/s", NUMBER_BAR, 0, { THERE("half_b") } },
		{ "C", "/s", NUMBER_BAR, 1, { LACKING("whole_c"), THERE("whole_c") } },
		{ "D", "/s", NUMBER_BAR, 1, { THERE("whole_d") } },
		{ "SUM", "/s", NUMBER_TOTAL, 1, { "whole_sum" } },
		{ "E", "/s", NUMBER_BAR, 2, { THERE("later_e") } },
	} },
	{ "part", "Better than nothing", UCORE_LEVEL_BOX, {
		{ "A", "/s", NUMBER_BAR, 0, { LACKING("none_a") } },
		{ "B", "/s", NUMBER_BAR, 1, { LACKING("part_b") } },
		{ "C", "/s", NUMBER_BAR, 1, { THERE("part_c") } },
		{ "D", "/s", NUMBER_BAR, 2, { LACKING("more_d") } },
		{ "E", "/s", NUMBER_BAR, 2, { THERE("more_e") } },
	} },
	{ 0 },
};

static void assert_columns(const struct panel *panel, const char *first, const char *second,
			   const char *third)
{
	const char *metrics[] = { first, second, third };
	unsigned int nr = 0;

	while (nr < NR(metrics) && metrics[nr])
		nr++;
	assert_int_equal(panel->nr_seen, nr);
	for (unsigned int i = 0; i < nr; i++)
		assert_string_equal(panel->columns[i].metric, metrics[i]);
}

static void first_complete_group_is_shown(void **state)
{
	struct tool tool = { .sys = &fake_sys };
	struct ucore_session *session;
	struct ucore_device *dev;
	struct panels panels;

	(void)state;
	dev = device_get();
	assert_int_equal(ucore_session_create(dev, NULL, &session, &err), 0);
	assert_int_equal(panels_open(&tool, dev, session, ~0U, &panels), 0);
	assert_int_equal(panels.nr, 2);
	assert_columns(&panels.panels[0], "whole_c", "whole_d", "whole_sum");
	assert_columns(&panels.panels[1], "part_c", NULL, NULL);
	panels_close(&panels);
	ucore_session_destroy(session);
	ucore_device_close(dev);
}

static const struct CMUnitTest tests[] = {
	TEST(first_complete_group_is_shown),
};

UNIT_MAIN(tests)
