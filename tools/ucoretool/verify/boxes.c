// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Checks of `ucoretool verify` that look at boxes one by one: what the driver's own
 * selftests showed, discovery, clocks.  Findings name boxes, dies and CPUs, and neither
 * addresses nor hosts nor users.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "verify/boxes.h"

#define NAMES_LEN	160

void assume_say(struct assume *assume, enum verdict verdict, const char *what,
		const char *format, ...)
{
	static const char *const names[] = { "held", "FAILED", "not tried" };
	char text[600];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	assume->count[verdict]++;
	printf("%-9s  %-12s  %s\n", names[verdict], what, text);
	fflush(stdout);
	if (assume->report)
		fprintf(assume->report, "%-9s  %-12s  %s\n", names[verdict], what, text);
}

/* ---- names ------------------------------------------------------------- */

/* One more box in a list of names, as long as there is room */
static void name_add(char *names, size_t size, const struct ucore_box_info *box)
{
	size_t length = strlen(names);
	char name[64];

	snprintf(name, sizeof(name), "%s%s%u of die %u", length ? ", " : "", box->type,
		 box->instance, box->die);
	if (length + strlen(name) + strlen(", ...") < size)
		strcat(names, name);
	else if (length + strlen(", ...") < size && strcmp(names + length - 3, "..."))
		strcat(names, ", ...");
}

/* Links may be asleep, or lead nowhere: then their clocks stand */
static bool may_sleep(const struct ucore_box_info *box)
{
	static const char *const links[] = { "qpi", "r3qpi", "upi", "m3upi", "b2upi", "cxlcm",
					     "cxldp", "b2cxl" };

	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		if (!strcmp(box->type, links[i]))
			return true;
	return false;
}

static bool is_uncore(const struct ucore_box_info *box)
{
	return box->cpu < 0;
}

/* ---- clocks ------------------------------------------------------------ */

/* Intel's name for a box type's clock: no part of the mesh's, none that runs freely */
static bool clock_name(const struct assume *assume, const char *type, char *name, size_t size)
{
	const struct ucore_platform *platform =
		ucore_platform_find(ucore_device_info(assume->dev)->platform);

	for (size_t i = 0; i < ucore_platform_nr_events(platform); i++) {
		struct ucore_event_desc desc;
		const char *text;

		ucore_platform_event_at(platform, i, &desc);
		text = ucore_event_desc_short(&desc);
		if (strcmp(desc.unit->type, type) || ucore_event_desc_fixed(&desc))
			continue;
		if (strcasecmp(text, "CLOCKTICKS") && strcasecmp(text, "DCLOCKTICKS"))
			continue;
		snprintf(name, size, "%s", text);
		return true;
	}
	return false;
}

bool assume_clock(const struct assume *assume, const struct ucore_box_info *box, uint64_t period,
		  char *text, size_t size)
{
	bool fixed = box->nr_fixed && !(box->caps & UCORE_BOX_F_FREE_RUNNING) &&
		     (!period || (box->caps & UCORE_BOX_F_FIXED_OVERFLOW));
	char name[UCORE_SPEC_LEN / 2] = "fixed";
	int length;

	if (period && !fixed && !(box->caps & UCORE_BOX_F_OVERFLOW))
		return false;
	if (!fixed && (!box->nr_counters || !clock_name(assume, box->type, name, sizeof(name))))
		return false;
	length = snprintf(text, size, "%s%u/%s,die=%u", box->type, box->instance, name, box->die);
	if (period)
		length += snprintf(text + length, size - (size_t)length, ",period=%" PRIu64,
				   period);
	snprintf(text + length, size - (size_t)length, "/");
	return true;
}

/* Clocks of the uncore are some hundred MHz to some GHz, whatever its power state */
#define CLOCK_MIN	1e7
#define CLOCK_MAX	1e10

/**
 * struct rates - clocks of the boxes of one type
 * @type: the type
 * @low: the slowest, Hz
 * @high: the fastest
 */
struct rates {
	const char *type;
	double low;
	double high;
};

#define RATES	32

static void rate_add(struct rates *rates, const char *type, double rate)
{
	for (struct rates *of = rates; of < rates + RATES; of++) {
		if (of->type && strcmp(of->type, type))
			continue;
		if (!of->type)
			*of = (struct rates){ type, rate, rate };
		of->low = rate < of->low ? rate : of->low;
		of->high = rate > of->high ? rate : of->high;
		return;
	}
}

/* "imc 800, cbo 2399 to 2401", MHz: who knows the machine sees what is wrong */
static void rates_text(const struct rates *rates, char *text, size_t size)
{
	size_t length = 0;

	*text = 0;
	for (const struct rates *of = rates; of < rates + RATES && of->type; of++) {
		snprintf(text + length, size - length, "%s%s %.0f", length ? ", " : "", of->type,
			 of->low / 1e6);
		length = strlen(text);
		if (of->high - of->low >= 1e6)
			snprintf(text + length, size - length, " to %.0f", of->high / 1e6);
		length = strlen(text);
	}
}

static void clocks_judge(struct assume *assume, const struct ucore_session *session,
			 const struct ucore_delta *delta)
{
	const struct ucore_delta_value *values;
	const struct ucore_box_info *boxes;
	const struct ucore_slot *slots;
	char names[NAMES_LEN] = "", asleep[NAMES_LEN] = "", text[400];
	struct rates rates[RATES] = { 0 };
	size_t nr, nr_boxes;
	unsigned int good = 0;

	boxes = ucore_device_boxes(assume->dev, &nr_boxes);
	slots = ucore_session_slots(session, &nr);
	values = ucore_delta_values(delta, &nr);
	for (size_t i = 0; i < nr; i++) {
		const struct ucore_box_info *box = &boxes[slots[i].box];
		uint64_t ns = values[i].flags & UCORE_VALUE_F_UNFROZEN ? values[i].enabled :
								      values[i].running;
		double rate = ns ? (double)values[i].count * 1e9 / (double)ns : 0;

		if (rate >= CLOCK_MIN && rate <= CLOCK_MAX) {
			good++;
			rate_add(rates, box->type, rate);
		} else if (may_sleep(box) && rate < CLOCK_MIN) {
			name_add(asleep, sizeof(asleep), box);
		} else {
			name_add(names, sizeof(names), box);
		}
	}
	rates_text(rates, text, sizeof(text));
	if (*names)
		assume_say(assume, VERDICT_FAILED, "clocks",
			   "not between 10 MHz and 10 GHz by the TSC: %s; others, MHz: %s", names,
			   *text ? text : "none");
	else if (good)
		assume_say(assume, VERDICT_HELD, "clocks", "%u boxes by the TSC, MHz: %s", good,
			   text);
	if (*asleep)
		assume_say(assume, VERDICT_NOT_TRIED, "clocks",
			   "asleep, or links that lead nowhere: %s", asleep);
}

static int clocks_add(struct assume *assume, struct ucore_session *session)
{
	const struct ucore_box_info *boxes;
	struct ucore_error err;
	char text[UCORE_SPEC_LEN];
	size_t nr;
	int n = 0;

	(void)ucore_device_boxes(assume->dev, &nr);
	for (size_t i = 0; i < nr; i++) {
		/* one that is refused has them listed anew */
		boxes = ucore_device_boxes(assume->dev, &nr);
		n += is_uncore(&boxes[i]) &&
		     assume_clock(assume, &boxes[i], 0, text, sizeof(text)) &&
		     !ucore_session_add_list(session, text, &err);
	}
	return n;
}

void assume_clocks(struct assume *assume)
{
	struct ucore_error *err = &assume->tool->err;
	const struct timespec wait = { .tv_sec = (time_t)assume->seconds };
	struct ucore_session *session = NULL;
	struct ucore_delta *delta = NULL;
	struct ucore_snapshot snap;
	int ret = ucore_session_create(assume->dev, NULL, &session, err);

	if (!ret && !clocks_add(assume, session)) {
		assume_say(assume, VERDICT_NOT_TRIED, "clocks", "no clock that is known is free");
		ucore_session_destroy(session);
		return;
	}
	if (!ret)
		ret = ucore_delta_create(session, &delta, err);
	if (!ret)
		ret = ucore_session_start(session, err);
	if (!ret) {
		nanosleep(&wait, NULL);
		ret = ucore_session_read(session, 0, &snap, err);
	}
	if (ret) {
		assume_say(assume, VERDICT_NOT_TRIED, "clocks", "%s", err->text);
	} else {
		ucore_delta_update(delta, &snap);
		clocks_judge(assume, session, delta);
	}
	ucore_delta_free(delta);
	ucore_session_destroy(session);
}

/* ---- the driver's selftests ----------------------------------------------- */

static const struct check {
	uint32_t bit;
	const char *what;
	const char *held;
	const char *failed;
} checks[] = {
	{ UCORE_SELFTEST_WIDTH, "width", "general counters are as wide as they should be",
	  "general counters are narrower than they should be, or keep nothing" },
	{ UCORE_SELFTEST_FIXED_WIDTH, "width", "fixed counters are as wide as they should be",
	  "fixed counters are narrower than they should be" },
	{ UCORE_SELFTEST_CONTROL, "control", "controls keep the bits that events want",
	  "controls lack bits that events want" },
	{ UCORE_SELFTEST_FIXED_CONTROL, "control", "fixed counters' controls keep their bits",
	  "fixed counters' controls lack bits" },
	{ UCORE_SELFTEST_RUN, "run", "clocks run when they are let",
	  "clocks stand when they are let" },
	{ UCORE_SELFTEST_GLOBAL_FREEZE, "freeze", "the die's freeze stops clocks",
	  "the die's freeze does not stop clocks" },
	{ UCORE_SELFTEST_BOX_FREEZE, "box freeze", "a box's own freeze stops its clock",
	  "a box's own freeze does not stop its clock" },
};

/* Boxes that failed a check are named; those that may be asleep have not been tried */
static void check_judge(struct assume *assume, const struct check *check,
			const struct ucore_box_info *boxes, size_t nr)
{
	unsigned int tried = 0, not_tried = 0;
	char names[NAMES_LEN] = "";

	for (size_t i = 0; i < nr; i++) {
		const struct ucore_get_selftest *selftest = &assume->selftests[i];
		bool failed = selftest->failed & check->bit;

		if (!is_uncore(&boxes[i]))
			continue;
		if (!(selftest->tested & check->bit) ||
		    (failed && check->bit == UCORE_SELFTEST_RUN && may_sleep(&boxes[i]))) {
			not_tried++;
			continue;
		}
		tried++;
		if (failed)
			name_add(names, sizeof(names), &boxes[i]);
	}
	if (*names)
		assume_say(assume, VERDICT_FAILED, check->what, "%s: %s", check->failed, names);
	else if (tried)
		assume_say(assume, VERDICT_HELD, check->what,
			   "%s: %u boxes (%u have none, or are in use)", check->held, tried,
			   not_tried);
	else
		assume_say(assume, VERDICT_NOT_TRIED, check->what,
			   "no box has it, or all are in use: %s", check->held);
}

static void owners_judge(struct assume *assume, const struct ucore_box_info *boxes, size_t nr)
{
	char names[NAMES_LEN] = "";
	uint32_t found = 0;

	for (size_t i = 0; i < nr; i++) {
		found |= assume->selftests[i].found;
		if (assume->selftests[i].found & UCORE_FOUND_CONTROL)
			name_add(names, sizeof(names), &boxes[i]);
	}
	if (*names)
		assume_say(assume, VERDICT_FAILED, "owners",
			   "another program uses boxes, or has: controls were not zero: %s", names);
	else
		assume_say(assume, VERDICT_HELD, "owners", "controls were zero%s",
			   found & UCORE_FOUND_GLOBAL ? ", global control was not" : "");
	if (found & UCORE_FOUND_HYPERVISOR)
		assume_say(assume, VERDICT_NOT_TRIED, "machine",
			   "a hypervisor: what registers say is its word");
}

int assume_selftests(struct assume *assume)
{
	struct ucore_error *err = &assume->tool->err;
	const struct ucore_box_info *boxes;
	size_t nr;
	int ret;

	boxes = ucore_device_boxes(assume->dev, &nr);
	assume->selftests = calloc(nr ? nr : 1, sizeof(*assume->selftests));
	if (!assume->selftests)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		if (is_uncore(&boxes[i]) && boxes[i].nr_counters)
			(void)ucore_device_try(assume->dev, boxes[i].box, err);
		ret = ucore_device_selftest(assume->dev, boxes[i].box, &assume->selftests[i], err);
		if (ret)
			return ret;
	}
	owners_judge(assume, boxes, nr);
	for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
		check_judge(assume, &checks[i], boxes, nr);
	return 0;
}

/* ---- discovery against what answers ------------------------------------ */

void assume_discovery(struct assume *assume)
{
	struct ucore_error *err = &assume->tool->err;
	struct ucore_discovery *discovery;
	const struct ucore_unit_info *units;
	unsigned int silent = 0;
	size_t nr, nr_tables;

	if (ucore_discovery_get(assume->dev, &discovery, err)) {
		assume_say(assume, VERDICT_NOT_TRIED, "discovery", "%s", err->text);
		return;
	}
	ucore_discovery_tables(discovery, &nr_tables);
	units = ucore_discovery_units(discovery, &nr);
	for (size_t i = 0; i < nr; i++)
		silent += units[i].reason == UCORE_UNIT_NO_ANSWER ||
			  units[i].reason == UCORE_UNIT_FUNCTION;
	if (!nr_tables)
		assume_say(assume, VERDICT_NOT_TRIED, "discovery",
			   "boxes are not found by tables here");
	else if (silent)
		assume_say(assume, VERDICT_FAILED, "discovery",
			   "%u of %zu units do not answer: ucoretool info --discovery", silent, nr);
	else
		assume_say(assume, VERDICT_HELD, "discovery", "all of %zu units answer", nr);
	ucore_discovery_free(discovery);
}
