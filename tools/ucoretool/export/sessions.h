/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the exporter counts, from the device to a page of text: one session, one READ
 * for each page, and totals that outlive sessions.
 */
#ifndef UCORETOOL_COLLECT_H
#define UCORETOOL_COLLECT_H

#include "export/families.h"
#include "tool.h"

#define COLLECT_MAX_EVENTS	256

/**
 * struct collect_args - what is to be counted
 * @events: events of the user's choice, patterns among them
 * @nr_events: how many there are
 * @wanted: which collectors were asked for by name, a bit each
 * @chosen: collectors were chosen: only @wanted; otherwise what the machine has
 * @flags: UCORE_SESSION_*
 * @read_flags: UCORE_READ_*
 */
struct collect_args {
	const char (*events)[UCORE_SPEC_LEN];
	size_t nr_events;
	unsigned int wanted;
	bool chosen;
	uint32_t flags;
	uint32_t read_flags;
};

/* collect_connect(): the machine may change its mind about the second, not about the third */
enum collect_verdict {
	COLLECT_COUNTING,
	COLLECT_LATER,
	COLLECT_NEVER,
};

struct collect;

/** collect_create() - nothing is counted yet; @args outlive it.  NULL: out of memory */
struct collect *collect_create(struct tool *tool, const struct collect_args *args);

/** collect_free() - close everything; NULL is fine */
void collect_free(struct collect *collect);

/**
 * collect_connect() - open the device and start to count
 * @code: if it cannot, -errno of what @tool->err explains
 */
enum collect_verdict collect_connect(struct collect *collect, int *code);

/**
 * collect_page() - read all counters, and say all there is to say
 * @size: where the length of the text is stored
 *
 * A device that was lost, or not there yet, is looked for again.
 * Return: the text, to be freed; NULL: out of memory.
 */
char *collect_page(struct collect *collect, size_t *size);

#endif /* UCORETOOL_COLLECT_H */
