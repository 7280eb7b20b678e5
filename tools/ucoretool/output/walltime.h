/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Wall-clock times as text, and time windows (--time FROM,TO) of recordings.
 */
#ifndef UCORETOOL_WALLTIME_H
#define UCORETOOL_WALLTIME_H

#include "tool.h"

#define CLOCK_LEN	48

/** clock_real() - convert CLOCK_MONOTONIC to CLOCK_REALTIME (ns) with the current offset */
uint64_t clock_real(uint64_t monotonic);

/** clock_iso() - write CLOCK_REALTIME (ns) in UTC: "2026-11-22T11:54:04.123456789Z" */
const char *clock_iso(uint64_t real, char *text);

/** clock_local() - write the local time of day: "11:54:04.123456" */
const char *clock_local(uint64_t real, char *text);

/** clock_date() - write local date, time and zone: "2026-11-22 12:54:04.123456 +0100" */
const char *clock_date(uint64_t real, char *text);

/** clock_stamp() - write local date and time for a file name: "20261122-125404" */
const char *clock_stamp(uint64_t real, char *text);

/**
 * struct clock_window - a time window of a recording
 * @from: start (ns since the start of the recording)
 * @to: end (ns since the start of the recording), UINT64_MAX: end of the recording
 * @from_day: true if @from is still a local time of day (ns since midnight)
 * @to_day: true if @to is still a local time of day (ns since midnight)
 */
struct clock_window {
	uint64_t from;
	uint64_t to;
	bool from_day;
	bool to_day;
};

/** clock_window_all() - return the window of the whole recording */
struct clock_window clock_window_all(void);

/**
 * clock_window_parse() - parse "FROM,TO"; FROM or TO may be empty
 * @tool: the tool
 * @text: window of two times, each in seconds since the start ("1.5"), with a unit ("200ms"),
 *        or a time of day ("14:03:05.5")
 * @window: parsed window
 *
 * Return: 0, or the exit code after an error message.
 */
int clock_window_parse(struct tool *tool, const char *text, struct clock_window *window);

/** clock_window_fix() - convert times of day to ns since the recording's start, @start_real */
void clock_window_fix(struct clock_window *window, uint64_t start_real);

#endif /* UCORETOOL_WALLTIME_H */
