// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Checks of `ucoretool verify` on single boxes: the driver's self-tests, discovery and clocks.
 * Findings contain boxes, dies and CPUs, but no private data (addresses, host names, users).
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

void verify_report(struct verify *verify, enum verdict verdict, const char *what,
		   const char *format, ...)
{
	static const char *const names[] = { "passed", "FAILED", "not tested" };
	char text[600];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	verify->count[verdict]++;
	printf("%-10s  %-12s  %s\n", names[verdict], what, text);
	fflush(stdout);
	if (verify->report)
		fprintf(verify->report, "%-10s  %-12s  %s\n", names[verdict], what, text);
}

/* ---- names and types of boxes ------------------------------------------ */

/* Append the name of a box to a list of names, or "..." if the buffer is full */
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

/* Return true for boxes of links, whose clocks stop in low power or if nothing is connected */
static bool is_link(const struct ucore_box_info *box)
{
	static const char *const links[] = { "qpi", "r3qpi", "upi", "m3upi", "b2upi", "cxlcm",
					     "cxldp", "b2cxl" };

	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		if (!strcmp(box->type, links[i]))
			return true;
	return false;
}

/* ---- check of the clocks ----------------------------------------------- */

/* Find the clock event of a box type's general counters; return false if there is none */
static bool clock_name(const struct verify *verify, const char *type, char *name, size_t size)
{
	const struct ucore_platform *platform =
		ucore_platform_find(ucore_device_info(verify->dev)->platform);

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

bool verify_clock_event(const struct verify *verify, const struct ucore_box_info *box,
			uint64_t period, char *text, size_t size)
{
	bool fixed = box->nr_fixed && !(box->flags & UCORE_BOX_F_FREE_RUNNING) &&
		     (!period || (box->flags & UCORE_BOX_F_FIXED_OVERFLOW));
	char name[UCORE_SPEC_LEN / 2] = "fixed";
	int length;

	if (period && !(ucore_device_info(verify->dev)->caps & UCORE_CAP_OVERFLOW_PMI))
		return false;
	if (period && !fixed && !(box->flags & UCORE_BOX_F_OVERFLOW))
		return false;
	if (!fixed && (!box->nr_counters || !clock_name(verify, box->type, name, sizeof(name))))
		return false;
	length = snprintf(text, size, "%s%u/%s,die=%u", box->type, box->instance, name, box->die);
	if (period)
		length += snprintf(text + length, size - (size_t)length, ",period=%" PRIu64,
				   period);
	snprintf(text + length, size - (size_t)length, "/");
	return true;
}

/* Plausible range of uncore clocks in all power states (Hz) */
#define CLOCK_MIN	1e7
#define CLOCK_MAX	1e10

/**
 * struct rates - clock rates of the boxes of one type
 * @type: box type
 * @low: lowest rate (Hz)
 * @high: highest rate (Hz)
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

/* Write the rates in MHz, so that users can compare them: "imc 800, cbo 2399 to 2401" */
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

static void clocks_judge(struct verify *verify, const struct ucore_session *session,
			 const struct ucore_delta *delta)
{
	const struct ucore_delta_value *values;
	const struct ucore_box_info *boxes;
	const struct ucore_slot *slots;
	char names[NAMES_LEN] = "", stopped[NAMES_LEN] = "", text[400];
	struct rates rates[RATES] = { 0 };
	size_t nr, nr_boxes;
	unsigned int good = 0;

	boxes = ucore_device_boxes(verify->dev, &nr_boxes);
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
		} else if (is_link(box) && rate < CLOCK_MIN) {
			name_add(stopped, sizeof(stopped), box);
		} else {
			name_add(names, sizeof(names), box);
		}
	}
	rates_text(rates, text, sizeof(text));
	if (*names)
		verify_report(verify, VERDICT_FAILED, "clocks",
			      "not between 10 MHz and 10 GHz (by the TSC): %s; other boxes, MHz: %s",
			      names, *text ? text : "none");
	else if (good)
		verify_report(verify, VERDICT_PASSED, "clocks",
			      "%u boxes between 10 MHz and 10 GHz (by the TSC), MHz: %s", good,
			      text);
	if (*stopped)
		verify_report(verify, VERDICT_NOT_TESTED, "clocks",
			      "clocks stopped, links in low power or without a partner: %s",
			      stopped);
}

static int clocks_add(struct verify *verify, struct ucore_session *session)
{
	const struct ucore_box_info *boxes;
	struct ucore_error err;
	char text[UCORE_SPEC_LEN];
	size_t nr;
	int n = 0;

	(void)ucore_device_boxes(verify->dev, &nr);
	for (size_t i = 0; i < nr; i++) {
		/* ucore_session_add_list() may reload the list of boxes */
		boxes = ucore_device_boxes(verify->dev, &nr);
		n += verify_judges(&boxes[i]) &&
		     verify_clock_event(verify, &boxes[i], 0, text, sizeof(text)) &&
		     !ucore_session_add_list(session, text, &err);
	}
	return n;
}

void verify_clocks(struct verify *verify)
{
	struct ucore_error *err = &verify->tool->err;
	const struct timespec wait = { .tv_sec = (time_t)verify->seconds };
	struct ucore_session *session = NULL;
	struct ucore_delta *delta = NULL;
	struct ucore_snapshot snap;
	int ret = ucore_session_create(verify->dev, NULL, &session, err);

	if (!ret && !clocks_add(verify, session)) {
		verify_report(verify, VERDICT_NOT_TESTED, "clocks", "all boxes with a known clock event are in use");
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
		verify_report(verify, VERDICT_NOT_TESTED, "clocks", "%s", err->text);
	} else {
		ucore_delta_update(delta, &snap);
		clocks_judge(verify, session, delta);
	}
	ucore_delta_free(delta);
	ucore_session_destroy(session);
}

/* ---- the driver's self-tests ------------------------------------------- */

static const struct check {
	uint32_t bit;
	const char *what;
	const char *passed;
	const char *failed;
} checks[] = {
	{ UCORE_SELFTEST_WIDTH, "width", "general counters have the expected width",
	  "general counters are narrower than expected, or do not retain written values" },
	{ UCORE_SELFTEST_FIXED_WIDTH, "width", "fixed counters have the expected width",
	  "fixed counters are narrower than expected" },
	{ UCORE_SELFTEST_CONTROL, "control", "controls retain all bits that events need",
	  "controls do not retain bits that events need" },
	{ UCORE_SELFTEST_FIXED_CONTROL, "control", "controls of fixed counters retain their bits",
	  "controls of fixed counters do not retain bits" },
	{ UCORE_SELFTEST_RUN, "run", "the clock event counts when it is enabled",
	  "the clock event does not count although it is enabled" },
	{ UCORE_SELFTEST_GLOBAL_FREEZE, "freeze", "the freeze of the die stops the clock event",
	  "the freeze of the die does not stop the clock event" },
	{ UCORE_SELFTEST_BOX_FREEZE, "box freeze", "the freeze of a box stops the clock event",
	  "the freeze of a box does not stop the clock event" },
};

/* Report one check of the self-tests for all boxes, except links with a stopped clock */
static void check_judge(struct verify *verify, const struct check *check,
			const struct ucore_box_info *boxes, size_t nr)
{
	unsigned int tested = 0, not_tested = 0;
	char names[NAMES_LEN] = "";

	for (size_t i = 0; i < nr; i++) {
		const struct ucore_get_selftest *selftest = &verify->selftests[i];
		bool failed = selftest->failed & check->bit;

		if (!verify_judges(&boxes[i]))
			continue;
		if (!(selftest->tested & check->bit) ||
		    (failed && check->bit == UCORE_SELFTEST_RUN && is_link(&boxes[i]))) {
			not_tested++;
			continue;
		}
		tested++;
		if (failed)
			name_add(names, sizeof(names), &boxes[i]);
	}
	if (*names)
		verify_report(verify, VERDICT_FAILED, check->what, "%s: %s", check->failed, names);
	else if (tested)
		verify_report(verify, VERDICT_PASSED, check->what,
			      "%s: %u boxes (%u boxes not applicable or in use)", check->passed,
			      tested, not_tested);
	else
		verify_report(verify, VERDICT_NOT_TESTED, check->what,
			      "no box has this feature, or all boxes are in use: %s",
			      check->passed);
}

static void owners_judge(struct verify *verify, const struct ucore_box_info *boxes, size_t nr)
{
	char names[NAMES_LEN] = "";
	uint32_t found = 0;

	for (size_t i = 0; i < nr; i++) {
		found |= verify->selftests[i].found;
		if (verify->selftests[i].found & UCORE_FOUND_CONTROL)
			name_add(names, sizeof(names), &boxes[i]);
	}
	if (*names)
		verify_report(verify, VERDICT_FAILED, "owners",
			      "controls were not zero, because another program uses or used the boxes: %s",
			      names);
	else
		verify_report(verify, VERDICT_PASSED, "owners", "all controls were zero%s",
			      found & UCORE_FOUND_GLOBAL ? ", except the global control" : "");
	if (found & UCORE_FOUND_HYPERVISOR)
		verify_report(verify, VERDICT_NOT_TESTED, "machine",
			      "a hypervisor emulates the registers, so that results may differ from the hardware");
}

/* Report the trial of reserved overflow enables, which ucore assumes to have no effect */
static void overflow_judge(struct verify *verify, const struct ucore_box_info *boxes, size_t nr)
{
	char names[NAMES_LEN] = "";
	unsigned int tested = 0;

	for (size_t i = 0; i < nr; i++) {
		const struct ucore_get_selftest *selftest = &verify->selftests[i];

		tested += !!(selftest->tested & UCORE_SELFTEST_OVERFLOW);
		if (selftest->found & UCORE_FOUND_OVERFLOW)
			name_add(names, sizeof(names), &boxes[i]);
	}
	if (*names)
		verify_report(verify, VERDICT_FAILED, "overflow",
			      "a reserved overflow enable works, but ucore polls these boxes: %s",
			      names);
	else if (tested)
		verify_report(verify, VERDICT_PASSED, "overflow",
			      "no reserved overflow enable sets the global status: %u boxes tried",
			      tested);
}

/* Checks of the trial that shows whether an overflow freezes the die without an interrupt */
#define FREEZE_CHECKS \
	(UCORE_SELFTEST_OVERFLOW_ENABLE | UCORE_SELFTEST_OVERFLOW_STATUS | \
	 UCORE_SELFTEST_OVERFLOW_FREEZE | UCORE_SELFTEST_OVERFLOW_DIE | \
	 UCORE_SELFTEST_OVERFLOW_RESUME)

/* Return the text of the first box whose trial failed; NULL if there is none */
static const char *freeze_reason(const struct verify *verify, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (verify->selftests[i].failed & FREEZE_CHECKS)
			return verify->selftests[i].reason;
	return NULL;
}

/* Report the trials of overflows on a platform whose overflows are not documented */
static void freeze_judge(struct verify *verify, const struct ucore_box_info *boxes, size_t nr)
{
	unsigned int good = 0, unknown = 0, tried = 0;
	const char *reason = freeze_reason(verify, nr);
	char names[NAMES_LEN] = "";

	for (size_t i = 0; i < nr; i++) {
		const struct ucore_get_selftest *selftest = &verify->selftests[i];

		tried += !!(selftest->tested & FREEZE_CHECKS);
		if (selftest->failed & FREEZE_CHECKS)
			name_add(names, sizeof(names), &boxes[i]);
		else if ((selftest->tested & FREEZE_CHECKS) == FREEZE_CHECKS)
			good++;
		else
			unknown += verify_judges(&boxes[i]);
	}
	if (!tried)
		return;
	if (reason)
		verify_report(verify, VERDICT_FAILED, "overflow",
			      "ucore polls the periods of these boxes, because %s: %s", reason,
			      names);
	if (good)
		verify_report(verify, VERDICT_PASSED, "overflow",
			      "an overflow freezes the die and sets its bit of the status: %u boxes (%u boxes not applicable or in use)",
			      good, unknown);
}

/* Report the trial of the overflow interrupt, on a platform on which no source has seen one */
static void pmi_judge(struct verify *verify, const struct ucore_box_info *boxes, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct ucore_get_selftest *selftest = &verify->selftests[i];

		if (selftest->failed & UCORE_SELFTEST_PMI)
			verify_report(verify, VERDICT_FAILED, "pmi",
				      "ucore polls all periods, because the overflow of %s%u interrupts no CPU",
				      boxes[i].type, boxes[i].instance);
		else if (selftest->tested & UCORE_SELFTEST_PMI)
			verify_report(verify, VERDICT_PASSED, "pmi",
				      "the overflow of %s%u interrupts a CPU (dmesg lists the CPUs of each bit of pmi_core_sel)",
				      boxes[i].type, boxes[i].instance);
	}
}

int verify_selftests(struct verify *verify)
{
	struct ucore_error *err = &verify->tool->err;
	const struct ucore_box_info *boxes;
	size_t nr;
	int ret;

	boxes = ucore_device_boxes(verify->dev, &nr);
	verify->selftests = calloc(nr ? nr : 1, sizeof(*verify->selftests));
	if (!verify->selftests)
		return -ENOMEM;
	verify->nr_selftests = nr;
	for (size_t i = 0; i < nr; i++) {
		if (verify_judges(&boxes[i]) && !(boxes[i].flags & UCORE_BOX_F_FREE_RUNNING))
			(void)ucore_device_try(verify->dev, boxes[i].box, err);
		ret = ucore_device_selftest(verify->dev, boxes[i].box, &verify->selftests[i], err);
		if (ret)
			return ret;
	}
	owners_judge(verify, boxes, nr);
	for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
		check_judge(verify, &checks[i], boxes, nr);
	overflow_judge(verify, boxes, nr);
	freeze_judge(verify, boxes, nr);
	pmi_judge(verify, boxes, nr);
	return 0;
}

/* ---- discovery --------------------------------------------------------- */

void verify_discovery(struct verify *verify)
{
	struct ucore_error *err = &verify->tool->err;
	struct ucore_discovery *discovery;
	const struct ucore_unit_info *units;
	unsigned int unresponsive = 0, absent = 0;
	size_t nr, nr_tables;

	if (ucore_discovery_get(verify->dev, &discovery, err)) {
		verify_report(verify, VERDICT_NOT_TESTED, "discovery", "%s", err->text);
		return;
	}
	ucore_discovery_tables(discovery, &nr_tables);
	units = ucore_discovery_units(discovery, &nr);
	for (size_t i = 0; i < nr; i++) {
		bool silent = units[i].reason == UCORE_UNIT_NO_ANSWER;

		absent += silent && units[i].box != UCORE_NO_BOX;
		unresponsive += (silent && units[i].box == UCORE_NO_BOX) ||
				units[i].reason == UCORE_UNIT_FUNCTION;
	}
	if (!nr_tables)
		verify_report(verify, VERDICT_NOT_TESTED, "discovery",
			      "this platform does not use discovery tables");
	else if (unresponsive)
		verify_report(verify, VERDICT_FAILED, "discovery",
			      "%u of %zu units do not respond. See 'ucoretool info --discovery'",
			      unresponsive, nr);
	else if (absent)
		verify_report(verify, VERDICT_PASSED, "discovery",
			      "%zu units, %u of which are powered down", nr, absent);
	else
		verify_report(verify, VERDICT_PASSED, "discovery", "all %zu units respond", nr);
	ucore_discovery_free(discovery);
}
