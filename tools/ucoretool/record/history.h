/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The last records of a session, in memory that is bounded.
 */
#ifndef UCORETOOL_KEEP_H
#define UCORETOOL_KEEP_H

#include "tool.h"

struct keep_block;

/**
 * struct keep - records, the oldest first
 * @span: how long a record is kept, in ns
 * @limit: bytes that they may take, in blocks of which there are at least two
 * @bytes: bytes that they take
 * @newest: time of the newest record
 * @hold: records that are not older than this are kept, whatever their age; 0: none are
 * @dropped: records that are kept no more
 * @crowded: some of them only because there was no room
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
 * struct keep_entry - one record
 * @domain: the domain whose ring it is from
 * @record: the record
 */
struct keep_entry {
	uint32_t domain;
	const struct ucore_record *record;
};

/** keep_put() - keep one more record, and drop what is too old or finds no room; -ENOMEM */
int keep_put(struct keep *keep, uint32_t domain, const struct ucore_record *record);

/** keep_first() - the oldest record, false if there is none */
bool keep_first(const struct keep *keep, struct keep_entry *entry);

/** keep_pop() - drop the oldest record, of which there is one */
void keep_pop(struct keep *keep);

/** keep_clear() - drop all of them */
void keep_clear(struct keep *keep);

#endif /* UCORETOOL_KEEP_H */
