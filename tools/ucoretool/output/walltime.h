/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The wall clock in words.
 */
#ifndef UCORETOOL_CLOCK_H
#define UCORETOOL_CLOCK_H

#include "tool.h"

#define CLOCK_LEN	48

/** clock_real() - CLOCK_REALTIME, as it is set now, at a time of CLOCK_MONOTONIC */
uint64_t clock_real(uint64_t monotonic);

/** clock_iso() - ns of CLOCK_REALTIME for programs: "2026-11-22T11:54:04.123456789Z" */
const char *clock_iso(uint64_t real, char *text);

/** clock_local() - the same for people, on their own clock: "11:54:04.123456" */
const char *clock_local(uint64_t real, char *text);

/** clock_date() - with the day and the zone: "2026-11-22 12:54:04.123456 +0100" */
const char *clock_date(uint64_t real, char *text);

/** clock_stamp() - as part of a file's name: "20261122-125404" */
const char *clock_stamp(uint64_t real, char *text);

/**
 * struct clock_window - from when to when, as a user wrote it
 * @from: where it begins, in ns
 * @to: where it ends, UINT64_MAX: at the end
 * @from_day: @from is of the local day, not of the file's time
 * @to_day: the same for @to
 */
struct clock_window {
	uint64_t from;
	uint64_t to;
	bool from_day;
	bool to_day;
};

/** clock_window_all() - a window that takes everything */
struct clock_window clock_window_all(void);

/**
 * clock_window_parse() - "FROM,TO", either of which may be missing
 * @text: seconds since the start ("1.5"), or with a unit ("200ms"), or the time of day
 *        ("14:03:05.5")
 *
 * Returns 0 or the exit code of the complaint that it has printed.
 */
int clock_window_parse(struct tool *tool, const char *text, struct clock_window *window);

/** clock_window_fix() - turn times of day into the file's, which began at @start_real */
void clock_window_fix(struct clock_window *window, uint64_t start_real);

#endif /* UCORETOOL_CLOCK_H */
