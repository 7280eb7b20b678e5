/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What ucore assumes of a machine, and whether it is so: the checks of
 * `ucoretool verify`.
 */
#ifndef UCORETOOL_ASSUME_H
#define UCORETOOL_ASSUME_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tool.h"

enum verdict {
	VERDICT_HELD,
	VERDICT_FAILED,
	VERDICT_NOT_TRIED,
	NR_VERDICTS,
};

/**
 * struct assume - a machine whose assumptions are being tried
 * @tool: the tool
 * @dev: the machine
 * @selftests: of each box, as far as it has been tried
 * @seconds: how long clocks are counted
 * @report: also written to; NULL: nothing is
 * @count: findings so far
 */
struct assume {
	struct tool *tool;
	struct ucore_device *dev;
	struct ucore_get_selftest *selftests;
	uint64_t seconds;
	FILE *report;
	unsigned int count[NR_VERDICTS];
};

/** assume_say() - one finding: a line on standard output, and one in the report */
void assume_say(struct assume *assume, enum verdict verdict, const char *what,
		const char *format, ...) __attribute__((format(printf, 4, 5)));

/** assume_clock() - an event that counts a box's clock, as text; false if none is known */
bool assume_clock(const struct assume *assume, const struct ucore_box_info *box, uint64_t period,
		  char *text, size_t size);

/* The checks, in the order in which they are made */
void assume_discovery(struct assume *assume);
int assume_selftests(struct assume *assume);
void assume_clocks(struct assume *assume);
void assume_memory(struct assume *assume);
void assume_interrupts(struct assume *assume);

#endif /* UCORETOOL_ASSUME_H */
