// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The last records of a session, for the flight recorder. Records are stored one after the other in
 * blocks of memory, so that not every record needs an allocation.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/history.h"

#define KEEP_BLOCK	(1U << 18)

/* Header before each kept record. Its size keeps records aligned to 8 bytes, as in their ring. */
struct keep_head {
	uint32_t domain;
	uint32_t size;		/* size of the record (bytes) */
};

struct keep_block {
	struct keep_block *next;
	size_t size;		/* capacity of @bytes (bytes) */
	size_t used;
	size_t taken;		/* size of the removed records at the start of @bytes (bytes) */
	_Alignas(8) unsigned char bytes[];
};

static void block_free(struct keep *keep)
{
	struct keep_block *block = keep->first;

	keep->first = block->next;
	if (!keep->first)
		keep->last = NULL;
	keep->bytes -= sizeof(*block) + block->size;
	free(block);
}

bool keep_first(const struct keep *keep, struct keep_entry *entry)
{
	const struct keep_block *block = keep->first;
	const struct keep_head *head;

	if (!block)
		return false;
	head = (const struct keep_head *)&block->bytes[block->taken];
	entry->domain = head->domain;
	entry->record = (const struct ucore_record *)(head + 1);
	return true;
}

void keep_pop(struct keep *keep)
{
	struct keep_block *block = keep->first;
	const struct keep_head *head = (const struct keep_head *)&block->bytes[block->taken];

	block->taken += sizeof(*head) + head->size;
	keep->dropped++;
	/* Free an empty first block, so that the first block contains the oldest record */
	if (block->taken == block->used)
		block_free(keep);
}

void keep_clear(struct keep *keep)
{
	while (keep->first)
		keep_pop(keep);
}

static int block_add(struct keep *keep, size_t need)
{
	size_t size = need > KEEP_BLOCK ? need : KEEP_BLOCK;
	struct keep_block *block;

	while (keep->first && keep->bytes + sizeof(*block) + size > keep->limit) {
		keep->crowded = true;
		keep_pop(keep);
	}
	block = malloc(sizeof(*block) + size);
	if (!block)
		return -ENOMEM;
	*block = (struct keep_block) { .size = size };
	if (keep->last)
		keep->last->next = block;
	else
		keep->first = block;
	keep->last = block;
	keep->bytes += sizeof(*block) + size;
	return 0;
}

static bool is_old(const struct keep *keep, uint64_t time)
{
	return time + keep->span < keep->newest && (!keep->hold || time < keep->hold);
}

int keep_put(struct keep *keep, uint32_t domain, const struct ucore_record *record)
{
	struct keep_head head = { .domain = domain, .size = record->size };
	size_t need = sizeof(head) + record->size;
	uint64_t time = ucore_record_time(record);
	struct keep_entry oldest;

	if (!keep->last || keep->last->size - keep->last->used < need)
		if (block_add(keep, need))
			return -ENOMEM;
	memcpy(&keep->last->bytes[keep->last->used], &head, sizeof(head));
	memcpy(&keep->last->bytes[keep->last->used + sizeof(head)], record, record->size);
	keep->last->used += need;
	if (time > keep->newest)
		keep->newest = time;
	while (keep_first(keep, &oldest) && is_old(keep, ucore_record_time(oldest.record)))
		keep_pop(keep);
	return 0;
}
