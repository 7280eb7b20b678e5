/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Catalog of all boxes and domains. Part of the box layer. The catalog is complete before the
 * device node appears. The set of boxes does not change afterwards.
 */
#ifndef UCORE_CATALOG_H
#define UCORE_CATALOG_H

#include <linux/mutex.h>

#include "box/box_registers.h"
#include "box/domain_global_ctl.h"
#include "find/found_boxes.h"

/**
 * struct ucore_catalog - boxes and domains of the machine
 * @platform: platform of this machine, NULL if the processor is unknown
 * @boxes: all boxes, indexed by id
 * @nr_boxes: number of boxes
 * @domains: all domains with boxes, indexed by id
 * @nr_domains: number of domains
 * @caps: capabilities of the machine, UCORE_CAP_*; a failed self-test may clear a capability, and a
 *        trial may add one
 * @lock: protects ucore_box.claims and ucore_domain.pin_*
 * @logged: bit mask of the kinds of self-test results that have been logged; protected by @lock
 * @core_busy: the last attempt to reserve the core counters failed, because perf has them; written
 *             with @lock held
 * @overflow_sticks: a trial has found that the freeze by an overflow does not end, so that no
 *                   further trial is made (overflow_trial.c)
 * @absent: reason why no uncore boxes were found, UCORE_STATE_*; UCORE_STATE_READY if some were
 *          found
 * @hidden: text about missing boxes for the user, empty if no box is missing
 * @cause: cause of the problem in @hidden, UCORE_CAUSE_*
 * @may_write: true if ucore_catalog_build() may write registers, because no other driver uses the
 *             uncore
 * @failed: text about the first failed self-test for the user; NULL if no self-test failed
 * @failed_text: buffer to which @failed points; read through @failed only
 */
struct ucore_catalog {
	const struct ucore_platform *platform;
	struct ucore_box *boxes;
	u32 nr_boxes;
	struct ucore_domain *domains;
	u32 nr_domains;
	u32 caps;
	struct mutex lock;	/* taken after session->lock, ucore_run_lock, CPU hotplug lock */
	u32 logged;
	bool core_busy;
	bool overflow_sticks;
	u32 absent;
	char hidden[UCORE_REASON_LEN];
	u32 cause;
	bool may_write;
	const char *failed;
	char failed_text[UCORE_REASON_LEN];
};

extern struct ucore_catalog ucore_catalog;

/* Iterate over the boxes of a domain, in the order of their ids. */
#define ucore_for_each_box(box, domain) \
	for ((box) = (domain)->first_box; (box) < (domain)->first_box + (domain)->nr_boxes; (box)++)

int ucore_catalog_build(void);
int ucore_catalog_fill(const struct ucore_finder *finder);
void ucore_catalog_destroy(void);
const struct ucore_report *ucore_catalog_report(void);
struct ucore_box *ucore_catalog_box(u32 id);
struct ucore_domain *ucore_catalog_domain(u32 id);
u32 ucore_catalog_counters(void);
void ucore_catalog_describe(const struct ucore_domain *domain, struct ucore_domain_info *out);

#endif /* UCORE_CATALOG_H */
