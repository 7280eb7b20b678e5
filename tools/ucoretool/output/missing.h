/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The boxes and metrics that a session does not count, with the reasons.
 */
#ifndef UCORETOOL_MISSING_H
#define UCORETOOL_MISSING_H

#include "tool.h"

#define MISSING_NOTE_LEN	(UCORE_ERROR_LEN + 16)	/* sufficient for missing_note(), bytes */
#define MISSING_COUNT_LEN	48			/* sufficient for missing_count(), bytes */

/**
 * struct missing_item - an event on a box, or a metric, that is not counted
 * @metric: name of the metric, NULL for a box
 * @label: name of the metric in texts, if it is not @metric
 * @type: type of the box
 * @instance: number of the box
 * @package: socket of the box
 * @die: die of the box
 * @cpu: CPU of a core box, otherwise -1
 * @event: label of the event if the box counts another event, otherwise NULL
 * @code: negative errno of the failure
 * @text: reason
 */
struct missing_item {
	const char *metric;
	char label[32];
	const char *type;
	uint32_t instance;
	uint32_t package;
	uint32_t die;
	int32_t cpu;
	const char *event;
	int code;
	char text[UCORE_ERROR_LEN];
};

/**
 * struct missing - list of everything that is missing, each box once
 * @items: boxes, then metrics
 * @nr: number of elements of @items
 */
struct missing {
	struct missing_item *items;
	size_t nr;
};

/**
 * missing_find() - list the omitted boxes of a session, and the omitted metrics
 * @metrics: metrics attached to @session, or NULL
 * @missing: receives the list; the strings belong to @session and @metrics
 *
 * Return: 0 or -ENOMEM.
 */
int missing_find(const struct ucore_session *session, const struct ucore_metrics *metrics,
		 struct missing *missing);

/** missing_free() - free the list */
void missing_free(struct missing *missing);

/**
 * missing_print() - print a line for each reason: "PREFIX not counted: imc2 of die 1: REASON"
 * @prefix: beginning of each line
 */
void missing_print(FILE *stream, const char *prefix, const struct missing *missing);

/** missing_note() - write the note of an item for CSV and JSON: "missing: REASON" */
const char *missing_note(const struct missing_item *item, char *text);

/**
 * missing_count() - write how many boxes a sum covers: "7 of 8 imc"; NULL if none is missing
 */
const char *missing_count(uint32_t nr, uint32_t max, const char *type, char *text);

/** missing_refuse() - with --strict: print an error if anything is missing; 0 or the exit code */
int missing_refuse(const struct tool *tool, const struct missing *missing);

/**
 * missing_report() - print on standard error what is missing
 * @metrics: metrics attached to @session, or NULL
 * @strict: true if it is an error that anything is missing
 *
 * Return: 0 or the exit code.
 */
int missing_report(const struct tool *tool, const struct ucore_session *session,
		   const struct ucore_metrics *metrics, bool strict);

#endif /* UCORETOOL_MISSING_H */
