/* SPDX-License-Identifier: GPL-2.0-only */
/* Overflows that the global status does not report: found by reads, polled after the second. */
#ifndef UCORE_UNREPORTED_OVERFLOW_H
#define UCORE_UNREPORTED_OVERFLOW_H

#include <linux/types.h>

struct ucore_domain;

/*
 * Number of unreported overflows after which the periods of a box are polled, if the global
 * status has never reported an overflow of the box. One may have another cause: a box that an
 * earlier use left with a status bit set cannot signal its next overflow.
 */
#define UCORE_MAX_UNREPORTED	2

/* Longest time (ns) between two reads of an armed counter whose box has reported no overflow */
#define UCORE_SILENT_NS		(1ULL * NSEC_PER_SEC)

/* Under the domain's lock, on a CPU of the domain: */
void ucore_unreported_read(struct ucore_domain *domain, u64 now);
bool ucore_unreported_find(struct ucore_domain *domain, u64 now);

#endif /* UCORE_UNREPORTED_OVERFLOW_H */
