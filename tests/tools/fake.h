/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A ucore device in user space, underneath struct ucore_sys: the boxes of an
 * E5-2600 v2, or of processors with discovery tables, one or two sockets, CPUs
 * with boxes of their own, counters that advance by known steps.
 */
#ifndef FAKE_H
#define FAKE_H

#include "libucore.h"

#define FAKE_MAX_BOXES	640
#define FAKE_MAX_TABLES	4
#define FAKE_MAX_UNITS	768
#define FAKE_MAX_EVENTS	8192
#define FAKE_MAX_DOMAINS 8
#define FAKE_MAX_SESSIONS 100
#define FAKE_FD		1000		/* of /dev/ucore; sessions have real ones */
#define FAKE_EPOCH	1000000000000000000ULL	/* far after any real boot */
#define FAKE_OTHER	77		/* id of a session that is not ours */

struct fake_event {
	uint32_t id;
	uint32_t box;
	uint32_t counter;
	uint32_t nr_terms;
	struct ucore_term terms[UCORE_TERMS_MAX];
	uint64_t may;			/* counters, a bit each */
	uint64_t period;
	uint64_t count;
	uint32_t group;
};

struct fake_ring {
	struct ucore_ring_consumer *consumer;
	unsigned char *map;		/* producer page and data */
	uint64_t seq;
	uint64_t pending_lost;
};

struct fake {
	/* what the tests arrange */
	unsigned int first_die;		/* the boxes are on this one ... */
	unsigned int nr_dies;		/* ... and the following, so many in all */
	uint32_t state;
	uint32_t abi;
	char platform[16];
	char reason[160];
	unsigned int fail_command;	/* _IOC_NR that fails ... */
	int fail_errno;			/* ... with this errno ... */
	unsigned int fail_skip;		/* ... after so many that do not ... */
	unsigned int fail_nr;		/* ... so often; 0: from then on */
	int open_errno;
	unsigned int open_nr;		/* opens that fail with it; 0: all */
	unsigned int own_nr;		/* GET_BOXES until others let go of theirs; 0: they do not */
	unsigned int back;		/* this READ, from 1, tells less than the one before */
	int mmap_skip;			/* mmaps that work before one fails; -1: all work */
	unsigned int batch;		/* samples per domain and poll */
	uint32_t ring;			/* sessions must ask for rings of this size; 0: any */
	uint64_t value_flags;		/* of every value */
	bool wave;			/* counts move by more and less from READ to READ */
	uint64_t scale;			/* of how far they move */
	uint64_t step_at;		/* from this sample on counts are ... */
	uint64_t step_by;		/* ... so many times as high ... */
	uint64_t step_for;		/* ... for so many samples of each @step_at; 0: all */
	uint32_t gap;			/* UCORE_GAP_* before the first sample, 0: none */
	bool old;			/* a driver from before GET_TABLES */
	bool user;			/* no CAP_SYS_ADMIN: addresses are 0 */
	bool foreign;			/* others are in another pid namespace */
	uint32_t hidden_box;		/* which lacks ... */
	uint64_t hidden_fields;		/* ... UCORE_FIELD_n, a bit each, that its type has */
	uint32_t bad_box;		/* whose selftest ... */
	uint32_t bad_selftest;		/* ... failed in these UCORE_SELFTEST_*, ... */
	uint32_t bad_found;		/* ... and found these UCORE_FOUND_* */
	unsigned int lie_command;	/* _IOC_NR that answers with more than there was room for ... */
	uint32_t lie_total;		/* ... or than there can be */

	/* what there is */
	const struct fake_machine *machine;
	uint32_t caps;
	struct ucore_get_core core;	/* version 0: a driver without cores */
	struct ucore_domain_info domains[FAKE_MAX_DOMAINS];
	unsigned int nr_domains;
	struct ucore_box_info boxes[FAKE_MAX_BOXES];
	unsigned int nr_boxes;
	struct ucore_table_info tables[FAKE_MAX_TABLES];
	unsigned int nr_tables;
	struct ucore_unit_info units[FAKE_MAX_UNITS];
	unsigned int nr_units;
	struct ucore_session_info sessions[FAKE_MAX_SESSIONS];
	unsigned int nr_sessions;

	/* the session */
	int session_fd;
	struct ucore_create_session config;
	struct fake_event events[FAKE_MAX_EVENTS];
	unsigned int nr_events;
	uint32_t next_event;
	bool running;
	uint64_t time;
	uint64_t started;		/* when the session was */
	struct fake_ring rings[FAKE_MAX_DOMAINS];
	struct ucore_get_status status;
	struct ucore_get_budget budget;
	uint32_t stretch;		/* periods dropped before each sample of a timer */
	unsigned int calls[32];		/* by _IOC_NR */
	uint32_t pmi_cpu;	/* the last one that was chosen */
	uint32_t nr_pmi_cpus;
	struct ucore_add_core_trigger core_trigger;	/* the last one */
	unsigned int nr_core_triggers;
	unsigned int nr_maps;		/* still mapped */
	unsigned int nr_opens;		/* still open */
};

extern struct fake fake;
extern const struct ucore_sys fake_sys;

/* A fresh E5-2600 v2 with @nr_dies sockets; frees what an earlier one left */
void fake_reset(unsigned int nr_dies);

/*
 * The same with another processor: "ivbep" (also for snbep), "hswep" (also for
 * bdxep), "bdxde", "skx" (also for clx, cpx), "icx", "snr", "spr" (also for emr), "gnr"
 * (also for srf, grr, cwf), "generic"
 */
void fake_machine(const char *name, unsigned int nr_dies);

/* The same machine with boxes on one die only: domain 0 is that die */
void fake_only_die(unsigned int die);

/* Domains that are CPUs, @nr of them, each with one box: "core0"; LLC_MISSES is missing */
void fake_cpus(unsigned int nr);

/* A unit that is no box: on die 0, with this reason, in conflict with record @other */
void fake_reject(uint32_t reason, uint32_t type, const char *name, uint32_t id, uint32_t other);

/* Another session, of process 4711: how many boxes and dies' PMI CPUs it says it has */
struct ucore_session_info *fake_other(uint64_t id, uint32_t nr_boxes, uint32_t nr_pinned);

/* A table that is not used, or not wholly */
void fake_table(uint32_t reason, int32_t die);

/* Overflow interrupts, as a later discovery platform may have them */
void fake_overflow_pmi(void);

/* How far an event's count moves from READ to READ and sample to sample, without a wave */
uint64_t fake_step(const struct fake_event *event);

/* Put a record into a domain's ring, and its sequence number into the record */
void fake_put(unsigned int domain, void *record, uint32_t size);
void fake_sample(unsigned int domain);

/* Words like "machine=spr dies=1 fail=19:16 own=imc0": the machine for a whole ucoretool */
void fake_scenario(const char *words);

#endif /* FAKE_H */
