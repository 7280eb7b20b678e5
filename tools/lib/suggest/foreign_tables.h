/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of events and boxes in perf, Intel PCM and LIKWID, and what ucore has for them.  The
 * tables end with a row of NULL.
 */
#ifndef UCORE_FOREIGN_TABLES_H
#define UCORE_FOREIGN_TABLES_H

/* Name of a PMU (perf, without "uncore_") or of a box (Intel PCM), and ucore's box type */
struct ucore_foreign_type {
	const char *name;
	const char *type;
};

/* LIKWID's unit, the part of a counter's name before its numbers, and a box type */
struct ucore_foreign_unit {
	const char *unit;
	const char *type;
};

/* Event name, and the terms that count the same on a box type; "#" is a digit, the last one */
struct ucore_foreign_event {
	const char *type;
	const char *name;
	const char *terms;
};

/* Event that is not of the uncore; @event: ucore's name of it, NULL: only perf counts it */
struct ucore_foreign_core {
	const char *name;
	const char *event;
};

/* Option of a counter in LIKWID, and the field */
struct ucore_foreign_option {
	const char *option;
	const char *field;
};

/* Bits of "config", the control register, and the field that has them on some box types */
struct ucore_foreign_bits {
	unsigned int shift;
	unsigned int width;
	const char *field;	/* NULL: enable bits, which the driver sets itself */
};

extern const struct ucore_foreign_type ucore_foreign_types[];
extern const struct ucore_foreign_unit ucore_foreign_units[];
extern const struct ucore_foreign_event ucore_foreign_events[];
extern const struct ucore_foreign_core ucore_foreign_cores[];
extern const struct ucore_foreign_option ucore_foreign_options[];
extern const struct ucore_foreign_bits ucore_foreign_config[];
/* PMUs of the kernel that are not of the uncore: perf counts their events */
extern const char *const ucore_foreign_pmus[];

#endif /* UCORE_FOREIGN_TABLES_H */
