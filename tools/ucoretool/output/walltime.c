// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Wall-clock times as text: UTC in CSV and JSON, local time in tables.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "output/walltime.h"

#define DAY_NS	(UINT64_C(86400) * NSEC_PER_SEC)

static uint64_t clock_ns(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

uint64_t clock_real(uint64_t monotonic)
{
	return monotonic + clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
}

const char *clock_iso(uint64_t real, char *text)
{
	time_t seconds = (time_t)(real / NSEC_PER_SEC);
	struct tm tm;
	size_t at;

	if (!gmtime_r(&seconds, &tm))
		return "-";
	at = strftime(text, CLOCK_LEN, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text + at, CLOCK_LEN - at, ".%09lluZ",
		 (unsigned long long)(real % NSEC_PER_SEC));
	return text;
}

/* Write @real (CLOCK_REALTIME ns) as local time with 6 decimals; with date and zone if @day */
static const char *local_text(uint64_t real, bool day, char *text)
{
	time_t seconds = (time_t)(real / NSEC_PER_SEC);
	struct tm tm;
	size_t at = 0;

	if (!localtime_r(&seconds, &tm))
		return "-";
	if (day)
		at = strftime(text, CLOCK_LEN, "%Y-%m-%d ", &tm);
	at += strftime(text + at, CLOCK_LEN - at, "%H:%M:%S", &tm);
	at += (size_t)snprintf(text + at, CLOCK_LEN - at, ".%06llu",
			       (unsigned long long)(real % NSEC_PER_SEC / NSEC_PER_USEC));
	if (day)
		strftime(text + at, CLOCK_LEN - at, " %z", &tm);
	return text;
}

const char *clock_local(uint64_t real, char *text)
{
	return local_text(real, false, text);
}

const char *clock_date(uint64_t real, char *text)
{
	return local_text(real, true, text);
}

const char *clock_stamp(uint64_t real, char *text)
{
	time_t seconds = (time_t)(real / NSEC_PER_SEC);
	struct tm tm;

	if (!localtime_r(&seconds, &tm) || !strftime(text, CLOCK_LEN, "%Y%m%d-%H%M%S", &tm))
		return "-";
	return text;
}

/* ---- time windows of recordings ---------------------------------------- */

struct clock_window clock_window_all(void)
{
	return (struct clock_window) { .to = UINT64_MAX };
}

/* Parse a local time of day, "14:03:05.25", to ns since midnight */
static bool day_parse(const char *text, uint64_t *ns)
{
	unsigned int hours, minutes;
	double seconds;
	int end = -1;

	if (sscanf(text, "%2u:%2u:%lf%n", &hours, &minutes, &seconds, &end) != 3 || end < 0 ||
	    text[end] || hours > 23 || minutes > 59 || !(seconds >= 0 && seconds < 61))
		return false;
	*ns = (hours * UINT64_C(3600) + minutes * UINT64_C(60)) * NSEC_PER_SEC +
	      (uint64_t)(seconds * NSEC_PER_SEC + 0.5);
	return true;
}

static int moment_parse(struct tool *tool, const char *text, uint64_t *ns, bool *day)
{
	char bare[40];

	*day = strchr(text, ':');
	if (*day)
		return day_parse(text, ns)
			       ? 0
			       : tool_usage(tool,
					    "time '%s': not a time of day. Write it as 14:03:05.5",
					    text);
	/* a number without a unit is in seconds */
	snprintf(bare, sizeof(bare), "%s%s", text,
		 isdigit((unsigned char)text[strlen(text) - 1]) ? "s" : "");
	return parse_duration(tool, "time", bare, false, 0, UINT64_MAX, ns);
}

int clock_window_parse(struct tool *tool, const char *text, struct clock_window *window)
{
	const char *comma = strchr(text, ',');
	char from[40];
	int ret = 0;

	*window = clock_window_all();
	if (!comma || strlen(text) >= sizeof(from) || strchr(comma + 1, ','))
		return tool_usage(tool, "time '%s': not a window. Write FROM,TO", text);
	snprintf(from, sizeof(from), "%.*s", (int)(comma - text), text);
	if (*from)
		ret = moment_parse(tool, from, &window->from, &window->from_day);
	if (!ret && comma[1])
		ret = moment_parse(tool, comma + 1, &window->to, &window->to_day);
	if (!ret && window->from_day == window->to_day && window->from > window->to)
		return tool_usage(tool, "time '%s': FROM is later than TO", text);
	return ret;
}

/*
 * Convert a local time of day (ns since midnight) to ns since the start of the recording: the first
 * such time not before the start.
 */
static uint64_t day_fix(uint64_t ns, uint64_t start_real)
{
	time_t seconds = (time_t)(start_real / NSEC_PER_SEC);
	struct tm tm = { 0 };
	uint64_t midnight;

	localtime_r(&seconds, &tm);
	tm.tm_hour = 0;
	tm.tm_min = 0;
	tm.tm_sec = 0;
	midnight = (uint64_t)mktime(&tm) * NSEC_PER_SEC;
	/* a time of day less than a minute before the start selects the start, not the next day */
	if (midnight + ns + 60 * NSEC_PER_SEC < start_real)
		ns += DAY_NS;
	return midnight + ns > start_real ? midnight + ns - start_real : 0;
}

void clock_window_fix(struct clock_window *window, uint64_t start_real)
{
	if (window->from_day)
		window->from = day_fix(window->from, start_real);
	if (window->to_day)
		window->to = day_fix(window->to, start_real);
	window->from_day = false;
	window->to_day = false;
}
