/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The last records of a session, for the flight recorder, in a limited amount of memory.
 */
#ifndef UCORETOOL_RECORD_HISTORY_H
#define UCORETOOL_RECORD_HISTORY_H

#include "tool.h"

struct keep_block;

/**
 * struct keep - queue of the kept records, the oldest first
 * @span: age up to which records are kept (ns)
 * @limit: memory limit (bytes), at least two blocks
 * @bytes: memory in use (bytes)
 * @newest: time of the newest record (CLOCK_MONOTONIC ns)
 * @hold: time from which records are kept even if they are older than @span (CLOCK_MONOTONIC
 *        ns), 0 for no such time
 * @dropped: number of records that were removed
 * @crowded: true if records were removed because of @limit
 */
struct keep {
	uint64_t span;
	size_t limit;
	size_t bytes;
	uint64_t newest;
	uint64_t hold;
	uint64_t dropped;
	bool crowded;
	struct keep_block *first, *last;
};

/**
 * struct keep_entry - a kept record
 * @domain: domain id of the record's ring
 * @record: the record
 */
struct keep_entry {
	uint32_t domain;
	const struct ucore_record *record;
};

/**
 * keep_put() - add a record, and remove records that are too old or exceed the memory limit
 *
 * Return: 0 or -ENOMEM.
 */
int keep_put(struct keep *keep, uint32_t domain, const struct ucore_record *record);

/** keep_first() - get the oldest record; false if there is none */
bool keep_first(const struct keep *keep, struct keep_entry *entry);

/** keep_pop() - remove the oldest record, which must exist */
void keep_pop(struct keep *keep);

/** keep_clear() - remove all records */
void keep_clear(struct keep *keep);

#endif /* UCORETOOL_RECORD_HISTORY_H */
