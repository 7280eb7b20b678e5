/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counting for the exporter, from the device to the text of a page. The exporter has one session
 * and makes one READ for each page. The sums of all counts are kept when the session is
 * replaced.
 */
#ifndef UCORETOOL_EXPORT_SESSIONS_H
#define UCORETOOL_EXPORT_SESSIONS_H

#include "export/selection.h"
#include "tool.h"

/* Result of collect_connect(): counting, failed for now (LATER), or failed for good (NEVER) */
enum collect_verdict {
	COLLECT_COUNTING,
	COLLECT_LATER,
	COLLECT_NEVER,
};

struct collect;

/**
 * collect_create() - create the exporter's state, without a session; NULL if out of memory
 * @args: selection; must exist until collect_free()
 */
struct collect *collect_create(struct tool *tool, const struct collect_args *args);

/** collect_free() - close session and device, and free the state; @collect may be NULL */
void collect_free(struct collect *collect);

/**
 * collect_connect() - open the device and start a session
 * @code: 0, or -errno, explained in @tool->err
 */
enum collect_verdict collect_connect(struct collect *collect, int *code);

/**
 * collect_page() - read all counters and return the page
 * @size: length of the text (bytes)
 *
 * Without a session, this function first tries to connect again.
 * Return: the text, to be freed by the caller; NULL if out of memory.
 */
char *collect_page(struct collect *collect, size_t *size);

#endif /* UCORETOOL_EXPORT_SESSIONS_H */
