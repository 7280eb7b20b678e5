/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The catalog: which boxes exist, on which domains.  Complete before the device
 * node appears; after that only ownership changes.
 */
#ifndef UCORE_CATALOG_H
#define UCORE_CATALOG_H

#include <linux/mutex.h>

#include "box/box.h"
#include "box/domain.h"
#include "find/finder.h"

/**
 * struct ucore_catalog - the machine
 * @platform: what it is, NULL if unknown
 * @boxes: all boxes, index is the id
 * @nr_boxes: how many
 * @domains: all domains with boxes
 * @nr_domains: how many
 * @caps: UCORE_CAP_*; a selftest may take one away
 * @lock: guards ucore_box.claims and ucore_domain.pin_*
 * @told: what selftests have shown that the log tells: each thing once; guarded by @lock
 * @absent: why boxes of the uncore are missing, UCORE_STATE_READY if they are not
 * @hidden: one sentence on boxes that should be there, empty if none is missing
 * @failed: what the first selftest that failed has shown, in a sentence; NULL if none has
 * @failed_text: the same, to be read by @failed
 */
struct ucore_catalog {
	const struct ucore_platform *platform;
	struct ucore_box *boxes;
	u32 nr_boxes;
	struct ucore_domain *domains;
	u32 nr_domains;
	u32 caps;
	struct mutex lock;	/* after session->lock, ucore_run_lock, CPU hotplug */
	u32 told;
	u32 absent;
	char hidden[UCORE_REASON_LEN];
	const char *failed;
	char failed_text[UCORE_REASON_LEN];
};

extern struct ucore_catalog ucore_catalog;

int ucore_catalog_build(void);
int ucore_catalog_fill(const struct ucore_finder *finder);
void ucore_catalog_destroy(void);
const struct ucore_report *ucore_catalog_report(void);
struct ucore_box *ucore_catalog_box(u32 id);
struct ucore_domain *ucore_catalog_domain(u32 id);
u32 ucore_catalog_counters(void);

#endif /* UCORE_CATALOG_H */
