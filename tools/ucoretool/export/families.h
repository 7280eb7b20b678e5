/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the exporter counts unasked: families of counters that mean the same on every
 * platform, and the events that they are made of.
 */
#ifndef UCORETOOL_FAMILY_H
#define UCORETOOL_FAMILY_H

#include "tool.h"

#define FAMILY_WAYS	4	/* platforms count a thing in so many ways at most */
#define FAMILY_EVENTS	2	/* events that are added up */

/**
 * struct family - one family of counters
 * @collector: what users call the families that go together
 * @name: its name in Prometheus
 * @help: what it says, in a line
 * @label: what tells its boxes apart; NULL: those of a die are added up
 * @bytes: bytes that a count stands for where the event tables do not know; 0: the
 *         family is no matter of bytes
 * @ways: the events to add up; the first way whose events the machine has is taken
 */
struct family {
	const char *collector;
	const char *name;
	const char *help;
	const char *label;
	uint32_t bytes;
	const char *ways[FAMILY_WAYS][FAMILY_EVENTS];
};

#define NR_FAMILIES	8
#define NR_COLLECTORS	4

/* Families of a collector stand together */
extern const struct family families[NR_FAMILIES];

/* The collectors' names, in the order of their families */
extern const char *const collectors[NR_COLLECTORS];

#endif /* UCORETOOL_FAMILY_H */
