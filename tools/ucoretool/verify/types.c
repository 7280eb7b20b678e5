// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Table of `ucoretool verify`: the driver's self-tests by box type.  The findings name boxes that
 * failed a check.  The table also shows the checks that were not made, and the measured widths.
 */
#include <stdio.h>
#include <string.h>

#include "verify/boxes.h"

/* A column: the checks whose results are added up */
static const struct column {
	const char *heading;
	uint32_t checks;	/* UCORE_SELFTEST_* */
} columns[] = {
	{ "WIDTH", UCORE_SELFTEST_WIDTH | UCORE_SELFTEST_FIXED_WIDTH },
	{ "CONTROL", UCORE_SELFTEST_CONTROL | UCORE_SELFTEST_FIXED_CONTROL },
	{ "RUN", UCORE_SELFTEST_RUN },
	{ "FREEZE", UCORE_SELFTEST_GLOBAL_FREEZE },
	{ "OWN", UCORE_SELFTEST_BOX_FREEZE },
	{ "ENABLE", UCORE_SELFTEST_OVERFLOW_ENABLE },
	{ "STATUS", UCORE_SELFTEST_OVERFLOW_STATUS },
	{ "STOP", UCORE_SELFTEST_OVERFLOW_FREEZE },
	{ "DIE", UCORE_SELFTEST_OVERFLOW_DIE },
	{ "RESUME", UCORE_SELFTEST_OVERFLOW_RESUME },
	{ "PMI", UCORE_SELFTEST_PMI },
};

/**
 * struct of_type - self-tests of the boxes of one type
 * @boxes: number of boxes
 * @width: lowest and highest measured width of general counters (bits), 0 if not tested
 * @fixed_width: the same of fixed counters
 * @tested: number of boxes that made each check
 * @passed: number of boxes that passed each check
 * @reason: why the first box of the type failed, NULL if none failed
 */
struct of_type {
	unsigned int boxes;
	uint32_t width[2];
	uint32_t fixed_width[2];
	unsigned int tested[ARRAY_SIZE(columns)];
	unsigned int passed[ARRAY_SIZE(columns)];
	const char *reason;
};

/* Extend a range of widths by the width of one more box, unless the width was not tested */
static void width_add(uint32_t *range, uint32_t width)
{
	if (!width)
		return;
	if (!range[0] || width < range[0])
		range[0] = width;
	if (width > range[1])
		range[1] = width;
}

static void selftest_add(struct of_type *of, const struct ucore_get_selftest *selftest)
{
	of->boxes++;
	width_add(of->width, selftest->width);
	width_add(of->fixed_width, selftest->fixed_width);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		if (!(selftest->tested & columns[i].checks))
			continue;
		of->tested[i]++;
		of->passed[i] += !(selftest->failed & columns[i].checks);
	}
	if (!of->reason && selftest->failed)
		of->reason = selftest->reason;
}

/* Print a cell of the table: one number, or two with a separator; "-" for nothing */
static void cell_write(FILE *stream, int width, uint32_t first, uint32_t second, char separator)
{
	char text[24] = "-";

	if (second && separator)
		snprintf(text, sizeof(text), "%u%c%u", first, separator, second);
	else if (first)
		snprintf(text, sizeof(text), "%u", first);
	fprintf(stream, "  %*s", width, text);
}

static void widths_write(FILE *stream, int width, const uint32_t *range)
{
	cell_write(stream, width, range[0], range[1], range[0] == range[1] ? 0 : '-');
}

static void row_write(FILE *stream, const char *type, const struct of_type *of)
{
	fprintf(stream, "%-10s  %5u", type, of->boxes);
	widths_write(stream, 5, of->width);
	widths_write(stream, 5, of->fixed_width);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		cell_write(stream, 7, of->tested[i] ? of->passed[i] : 0, of->tested[i], '/');
	fputc('\n', stream);
}

static void head_write(FILE *stream)
{
	fprintf(stream,
		"\nSelf-tests by box type: bits of counters, boxes that passed / made each check.\n"
		"OWN is the freeze of a box. ENABLE to RESUME are the trial of an overflow, PMI that\n"
		"of its interrupt.\n"
		"%-10s  %5s  %5s  %5s", "TYPE", "BOXES", "BITS", "FIXED");
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		fprintf(stream, "  %7s", columns[i].heading);
	fputc('\n', stream);
}

/* Return true if an earlier box has the type of the box with this index */
static bool is_listed(const struct ucore_box_info *boxes, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (verify_judges(&boxes[i]) && !strcmp(boxes[i].type, boxes[index].type))
			return true;
	return false;
}

void verify_types(const struct verify *verify, FILE *stream)
{
	const struct ucore_box_info *boxes;
	size_t nr;

	boxes = ucore_device_boxes(verify->dev, &nr);
	if (nr > verify->nr_selftests)
		nr = verify->nr_selftests;
	head_write(stream);
	for (size_t first = 0; first < nr; first++) {
		const char *type = boxes[first].type;
		struct of_type of = { 0 };

		if (!verify_judges(&boxes[first]) || is_listed(boxes, first))
			continue;
		for (size_t i = first; i < nr; i++)
			if (verify_judges(&boxes[i]) && !strcmp(boxes[i].type, type))
				selftest_add(&of, &verify->selftests[i]);
		row_write(stream, type, &of);
		if (of.reason)
			fprintf(stream, "  %s: %s\n", type, of.reason);
	}
}
