/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The checks of `ucoretool verify`: whether the hardware behaves as ucore assumes.
 */
#ifndef UCORETOOL_VERIFY_BOXES_H
#define UCORETOOL_VERIFY_BOXES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tool.h"

enum verdict {
	VERDICT_PASSED,
	VERDICT_FAILED,
	VERDICT_NOT_TESTED,
	NR_VERDICTS,
};

/**
 * struct verify - state of the checks
 * @tool: the tool
 * @dev: open device
 * @selftests: self-test result of each box, in the order of the boxes
 * @nr_selftests: number of entries in @selftests
 * @seconds: time for which clocks are counted (s)
 * @report: report file, NULL: none
 * @report_path: path of @report
 * @count: number of findings of each verdict
 */
struct verify {
	struct tool *tool;
	struct ucore_device *dev;
	struct ucore_get_selftest *selftests;
	size_t nr_selftests;
	uint64_t seconds;
	FILE *report;
	const char *report_path;
	unsigned int count[NR_VERDICTS];
};

/** verify_report() - print the finding of a check to standard output and to the report file */
void verify_report(struct verify *verify, enum verdict verdict, const char *what,
		   const char *format, ...) __attribute__((format(printf, 4, 5)));

/**
 * verify_clock_event() - write an event that counts a box's clock
 * @verify: state of the checks
 * @box: the box
 * @period: period of the event (counts), 0: none
 * @text: output buffer
 * @size: size of @text
 *
 * Return: false if no clock event of the box is known.
 */
bool verify_clock_event(const struct verify *verify, const struct ucore_box_info *box,
			uint64_t period, char *text, size_t size);

/* Return true for a box of a die that responds, whose self-tests can be judged */
static inline bool verify_judges(const struct ucore_box_info *box)
{
	return box->cpu < 0 && !(box->flags & UCORE_BOX_F_ABSENT);
}

/** verify_types() - write a table of the self-tests by box type */
void verify_types(const struct verify *verify, FILE *stream);

/* The checks in the order of their execution; verify_selftests() returns 0 or -errno */
void verify_discovery(struct verify *verify);
int verify_selftests(struct verify *verify);
void verify_clocks(struct verify *verify);
void verify_memory(struct verify *verify);
void verify_interrupts(struct verify *verify);

#endif /* UCORETOOL_VERIFY_BOXES_H */
