// SPDX-License-Identifier: GPL-2.0-only
/*
 * Others who write the controls that sessions count with: Intel PCM, LIKWID, VTune, a
 * person with wrmsr, firmware.  Nothing keeps them from it, and no sample could tell
 * without an access more for each counter.  So the guard looks, every ten seconds, and what
 * it finds is told: by the values, a record, STATUS, GET_TRIAL and the log.  It
 * writes nothing: who is right is not known here, and START programs all of it anew.
 *
 * Accesses of a look: a read for each global control, for the control of each box of a
 * part and for that of each of its counters that has its turn.  It is made in pieces, some
 * boxes at a time, so that it keeps no timer waiting.
 */
#include <linux/ktime.h>

#include "box/control_check.h"
#include "box/domain.h"
#include "sample/sample.h"
#include "irq/conflict.h"

/* After so many reads of a look others have the CPU, and for so long */
#define PIECE_READS	16
#define PIECE_NS	(1 * NSEC_PER_MSEC)

/* Once for each domain: another program that goes on writes for ever. */
static void tell_log(struct ucore_domain *domain, const struct ucore_box *box)
{
	if (domain->told)
		return;
	domain->told = true;
	pr_notice("%s%u of die %u: another program or firmware writes controls with which a session counts: its values are flagged\n",
		  box->desc.type->name, box->desc.instance, box->desc.die);
}

/* The counters of a box that changed, those that count; a record at the first time. */
static void mark(struct ucore_part *part, struct ucore_part_box *pb, u64 now)
{
	struct ucore_counter *ctr;
	bool news = false;
	u32 j;

	for (j = pb->last; j != U32_MAX; j = ctr->sibling) {
		ctr = &part->ctr[j];
		if (!ucore_part_counts(part, ctr))
			continue;
		news |= !(ctr->flags & UCORE_VALUE_CHANGED);
		ctr->flags |= UCORE_VALUE_CHANGED;
	}
	pb->box->trial.found |= UCORE_FOUND_CHANGED;
	if (news)
		ucore_part_gap(part, now, UCORE_GAP_CHANGED, part->domain->reader,
			       part->domain->reader, pb->box->id);
	tell_log(part->domain, pb->box);
}

/*
 * Each control is read, whatever the others say: a look always costs the same, but for boxes
 * without control.
 */
static bool box_changed(const struct ucore_part *part, struct ucore_part_box *pb, u32 *reads)
{
	bool changed = ucore_changed_box(pb->box, &pb->control, &pb->seen);
	u32 j;

	(*reads)++;
	for (j = pb->last; j != U32_MAX; j = part->ctr[j].sibling) {
		if (!ucore_part_counts(part, &part->ctr[j]))
			continue;
		changed |= ucore_changed_counter(&part->ctr[j]);
		(*reads)++;
	}
	return changed;
}

/* However much a look finds, it is one. */
static void found(struct ucore_part *part, struct ucore_part_box *pb, u64 now)
{
	mark(part, pb, now);
	part->stats.changed += !part->watch.found;
	part->watch.found = true;
}

/* Some of its boxes, from where the last piece has ended. */
static void part_look(struct ucore_part *part, u64 now)
{
	struct ucore_watch *watch = &part->watch;
	struct ucore_part_box *pb;
	u32 reads = 0;

	if (!watch->next && ucore_domain_control_changed(part->domain))
		for (pb = part->box; pb < part->box + part->nr_box; pb++)
			found(part, pb, now);
	while (watch->next < part->nr_box && reads < PIECE_READS) {
		pb = &part->box[watch->next++];
		if (box_changed(part, pb, &reads))
			found(part, pb, now);
	}
	if (watch->next < part->nr_box)
		return;
	*watch = (struct ucore_watch){ .looked = now };
}

static bool due(const struct ucore_part *part, u64 now)
{
	return part->running &&
	       (part->watch.next || now - part->watch.looked >= UCORE_WATCH_NS);
}

/**
 * ucore_watch_wait_ns() - when is a part's next look due?
 * @part: the part
 * @now: time
 *
 * Return: ns from now on: of its next piece, if one is under way or another part's was; of
 * one that is overdue, because its domain is frozen, a second.
 */
u64 ucore_watch_wait_ns(const struct ucore_part *part, u64 now)
{
	u64 since = now - part->watch.looked;

	if (!part->running)
		return UCORE_WATCH_NS;
	if (part->watch.next)
		return PIECE_NS;
	if (since < UCORE_WATCH_NS)
		return UCORE_WATCH_NS - since;
	return part->domain->frozen ? NSEC_PER_SEC : PIECE_NS;
}

/**
 * ucore_watch_look() - has somebody else written controls of the domain's parts?
 * @domain: the domain, on which parts run and no overflow waits
 * @now: time
 *
 * The guard's.  What is frozen is not looked at: its controls say so.
 */
void ucore_watch_look(struct ucore_domain *domain, u64 now)
{
	struct ucore_part *part;

	if (domain->frozen)
		return;
	list_for_each_entry(part, &domain->parts, node) {
		if (!due(part, now))
			continue;
		part_look(part, now);
		return;
	}
}
