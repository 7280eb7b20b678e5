/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A crowd: up to UCORE_SESSIONS_MAX sessions of one process, whose user has no CAP_SYS_RESOURCE.
 * Some of them have thousands of events, which rotate in groups.
 */
#ifndef UAPI_CROWD_H
#define UAPI_CROWD_H

#include "fuzz.h"
#include "user.h"
#include <stdatomic.h>
#include <sys/resource.h>

#define CROWD_USERS	2
#define FEW_SESSIONS	100
#define FULL_EACH	4	/* one crowd in so many may reach the limit, the first one, too */
#define FEW_EVENTS	100
#define CROWD_BOXES	4	/* the other boxes are left to other processes */
#define MANY_TRIES	6000	/* ADD_EVENTs for a session with many events */
#define LAST_TRIES	100	/* refused ADD_EVENTs in succession that end the trial */

/* Counts of all crowds. @largest: events of one session */
struct crowd_counts {
	atomic_ulong crowds, sessions, at_limit, events, full, largest;
	bool large;		/* some crowds are as large as allowed */
	atomic_bool begun;	/* the first crowd has begun */
	atomic_int forming;	/* process of the first crowd while it forms */
};

static struct crowd {
	int fds[UCORE_SESSIONS_MAX + 1];
	unsigned int nr;
	uint32_t first_box;	/* the first of the CROWD_BOXES boxes that few events use */
} crowd;

/* Permit the descriptors of the largest crowd; only root may do so */
static inline void crowd_allow(void)
{
	const struct rlimit limit = { UCORE_SESSIONS_MAX + 64, UCORE_SESSIONS_MAX + 64 };

	must(!setrlimit(RLIMIT_NOFILE, &limit), "setrlimit: %m");
}

static inline const struct shape *shape_of(unsigned int nr)
{
	const struct shape *shape = shapes;

	while (shape->nr != nr)
		shape++;
	return shape;
}

static inline void expect_listed(unsigned int nr, int rc)
{
	const struct making valid = { .shape = shape_of(nr), .sane = true };

	expect(!rc || error_allowed(&valid, rc), "%s of a crowd: %s", valid.shape->name,
	       error_name(rc));
}

/* Create a session. Return false if the user or the process has too many. */
static inline bool crowd_create(struct crowd_counts *counts, bool rotates)
{
	struct ucore_create_session create = {
		.rotate_ns = rotates ? 1000000ULL << roll(6) : 0,
	};
	int fd;

	if (crowd.nr == ARRAY_SIZE(crowd.fds))
		return false;
	alarm(TEST_SECONDS);
	fd = try_create_as(create);
	if (fd < 0) {
		counts->at_limit += fd == -EDQUOT;
		expect_listed(UCORE_CREATE_SESSION, fd);
		return false;
	}
	crowd.fds[crowd.nr++] = fd;
	counts->sessions++;
	return true;
}

/* Create up to @nr sessions, half of which rotate */
static inline void crowd_grow(struct crowd_counts *counts, unsigned int nr)
{
	while (nr && crowd_create(counts, roll(2)))
		nr--;
}

/* Add an event to a random group, and return 0 or -errno */
static inline int crowd_add(int session, uint32_t box)
{
	struct ucore_term term = { .field = UCORE_FIELD_EVENT, .value = 1 + roll(64) };
	struct ucore_add_event add = {
		.size = sizeof(add), .box = box, .nr_terms = 1, .terms = address(&term),
		.group = roll(UCORE_GROUP_MAX + 1),
	};
	int rc = try_command(session, UCORE_ADD_EVENT, &add);

	/* a session that does not rotate has no groups */
	if (rc != -EINVAL)
		expect_listed(UCORE_ADD_EVENT, rc);
	return rc;
}

/* Add events in all groups to a session: few of them, or many to all boxes */
static inline void crowd_fill(struct crowd_counts *counts, int session, bool many)
{
	unsigned int tries = many ? MANY_TRIES : FEW_EVENTS;
	unsigned long events = 0, refused = 0;

	while (tries-- && refused < LAST_TRIES) {
		uint32_t box = many ? roll(made.nr_boxes) : crowd.first_box + roll(CROWD_BOXES);
		int rc = crowd_add(session, box % made.nr_boxes);

		alarm(TEST_SECONDS);
		events += !rc;
		refused = rc ? refused + 1 : 0;
		counts->full += rc == -ENOSPC;
	}
	counts->events += events;
	if (events > counts->largest)
		counts->largest = events;
}

/* Read all events of a session, whose ids must ascend */
static inline void crowd_read(int session)
{
	static struct ucore_value values[UCORE_EVENTS_MAX];
	static struct ucore_read_domain domains[MAX_BOXES];
	struct ucore_read read = {
		.size = sizeof(read), .nr_values = ARRAY_SIZE(values),
		.nr_domains = ARRAY_SIZE(domains),
		.values = address(values), .domains = address(domains),
	};
	int rc = try_command(session, UCORE_READ, &read);

	expect_listed(UCORE_READ, rc);
	for (uint32_t i = 1; !rc && i < read.nr_values; i++)
		expect(values[i].event > values[i - 1].event, "event %u follows event %u",
		       values[i].event, values[i - 1].event);
}

/* Return a random session of the crowd */
static inline int crowd_member(void)
{
	return crowd.fds[roll(crowd.nr)];
}

/* Close up to @nr sessions of the crowd, from the end */
static inline void crowd_shrink(unsigned int nr)
{
	while (nr-- && crowd.nr)
		close(crowd.fds[--crowd.nr]);
}

/* Let a session have as many events as its boxes have counters for, until it is closed */
static inline void crowd_crush(struct crowd_counts *counts)
{
	if (!crowd_create(counts, true))
		return;
	crowd_fill(counts, crowd.fds[crowd.nr - 1], true);
	expect_listed(UCORE_START, try_start(crowd.fds[crowd.nr - 1]));
	crowd_read(crowd.fds[crowd.nr - 1]);
	crowd_shrink(1);
}

/*
 * Become a user without rights, and create few sessions or, in a large crowd, as many as allowed.
 * Before, one session of a large crowd has events in all boxes.
 */
static inline void crowd_begin(struct crowd_counts *counts)
{
	bool first = !atomic_exchange(&counts->begun, true);
	bool full = counts->large && (first || !roll(FULL_EACH));

	if (first)
		counts->forming = getpid();
	become(USER + roll(CROWD_USERS), roll(2) ? 1ULL << CAP_PERFMON : 0);
	counts->crowds++;
	crowd.first_box = roll(made.nr_boxes);
	if (full)
		crowd_crush(counts);
	crowd_grow(counts, full ? UCORE_SESSIONS_MAX + 1 : 1 + roll(FEW_SESSIONS));
	if (first)
		counts->forming = 0;
}

/* Let the crowd grow or shrink, or use one of its sessions */
static inline void crowd_act(struct crowd_counts *counts)
{
	int session;

	if (!crowd.nr)
		return;
	session = crowd_member();
	switch (roll(16)) {
	case 0:
		crowd_grow(counts, 1 + roll(FEW_SESSIONS));
		break;
	case 1:
		crowd_shrink(1 + roll(FEW_SESSIONS));
		break;
	case 2 ... 8:
		crowd_fill(counts, session, false);
		break;
	case 9 ... 11:
		expect_listed(UCORE_START, try_start(session));
		break;
	case 12:
		expect_listed(UCORE_STOP, try_stop(session));
		break;
	default:
		crowd_read(session);
	}
}

#endif
