/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Simulated ucore device in user space, accessed through struct ucore_sys.  It has the boxes
 * of an E5-2600 v2 or of another processor, one or two sockets, optional core boxes, and
 * counters that advance by known steps.
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
#define FAKE_FD		1000		/* descriptor of /dev/ucore */
#define FAKE_EPOCH	1000000000000000000ULL	/* later than any real time (ns) */
#define FAKE_OTHER	77		/* id of another process's session */

struct fake_event {
	uint32_t id;
	uint32_t box;
	uint32_t counter;
	uint32_t nr_terms;
	struct ucore_term terms[UCORE_TERMS_MAX];
	uint64_t may;			/* mask of permitted counters */
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
	/* configuration by tests */
	unsigned int first_die;		/* first die with boxes */
	unsigned int nr_dies;		/* number of dies with boxes */
	uint32_t state;
	uint32_t abi;
	char platform[16];
	char reason[160];
	uint32_t cause;
	unsigned int fail_command;	/* _IOC_NR of a command that fails */
	int fail_errno;			/* errno of the failure */
	unsigned int fail_skip;		/* successful calls before the first failure */
	unsigned int fail_nr;		/* number of failures (0: unlimited) */
	int open_errno;
	unsigned int open_nr;		/* number of opens that fail with open_errno (0: all) */
	unsigned int own_nr;		/* GET_BOXES until other owners release boxes (0: never) */
	unsigned int back;		/* number of the READ, from 1, whose counts decrease */
	int mmap_skip;			/* mmaps before the first failure (-1: none) */
	unsigned int batch;		/* samples per domain and poll */
	uint32_t ring;			/* required ring size of sessions (0: any) */
	uint64_t value_flags;		/* flags of every value */
	const char *refused_type;	/* box type that refuses events (NULL: none) ... */
	int refused_code;		/* ... with this errno */
	uint32_t refused_box;		/* box that refuses events with EBUSY ... */
	uint32_t refused_counter;	/* ... after this number of events (0: none) */
	unsigned int dies;		/* box that does not respond from READ @dies_from ... */
	unsigned int dies_from;		/* ... to the READ before @dies_to, from 1 (0: never) */
	unsigned int dies_to;
	unsigned int share;		/* share of time of multiplexed sessions (%, 0: all) */
	bool wave;			/* deltas rise and fall from READ to READ */
	uint64_t scale;			/* factor of all deltas */
	uint64_t read_ns;		/* time from READ to READ (ns) */
	uint64_t step_at;		/* first sample with larger deltas */
	uint64_t step_by;		/* factor of the larger deltas */
	uint64_t step_for;		/* number of such samples in each @step_at (0: all) */
	uint32_t gap;			/* UCORE_GAP_* before the first sample, 0: none */
	bool old;			/* older driver without GET_TABLES */
	bool user;			/* no CAP_SYS_ADMIN: addresses are 0 */
	bool foreign;			/* owners are in another pid namespace */
	uint32_t hidden_box;		/* box that lacks fields of its type */
	uint64_t hidden_fields;		/* mask of the missing UCORE_FIELD_n */
	uint64_t event_counters;	/* mask of the counters that count any event (0: all) */
	uint32_t bad_box;		/* box that failed its self-test */
	uint32_t bad_selftest;		/* UCORE_SELFTEST_* of the failure */
	bool untested;			/* no box had its self-test */
	uint32_t bad_found;		/* UCORE_FOUND_* of the failure */
	unsigned int lie_command;	/* _IOC_NR that returns too many elements */
	uint32_t lie_total;		/* total that this command returns */

	/* the machine */
	const struct fake_machine *machine;
	uint32_t caps;
	struct ucore_get_core core;	/* version 0: driver without core counters */
	struct ucore_get_core atom;	/* efficient cores; version 0: none */
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
	uint64_t started;		/* start time of the session */
	struct fake_ring rings[FAKE_MAX_DOMAINS];
	struct ucore_get_status status;
	struct ucore_get_budget budget;
	uint32_t stretch;		/* periods dropped before each sample of a timer */
	unsigned int calls[32];		/* number of calls by _IOC_NR */
	uint32_t pmi_cpu;	/* last PMI CPU that was chosen */
	uint32_t nr_pmi_cpus;
	struct ucore_add_core_trigger core_trigger;	/* last core trigger */
	struct ucore_add_core_trigger core_trigger_before;	/* the one before it */
	unsigned int nr_core_triggers;
	unsigned int nr_maps;		/* current mappings */
	unsigned int nr_opens;		/* open descriptors */
};

extern struct fake fake;
extern const struct ucore_sys fake_sys;

/* Set up an E5-2600 v2 with @nr_dies sockets and free the previous machine */
void fake_reset(unsigned int nr_dies);

/*
 * Set up a machine with another processor: "ivbep" (also for snbep), "hswep" (also for
 * bdxep), "bdxde", "skx" (also for clx, cpx), "icx", "snr", "spr" (also for emr), "gnr"
 * (also for srf, grr, cwf), "skl" (also for snb, ivb, hsw, bdw, rkl), "icl", "tgl" (also for
 * tglh), "adl", "mtl" (also for arl, lnl), "ptl", "nhm" (also for wsm), "generic"
 */
void fake_machine(const char *name, unsigned int nr_dies);

/* Keep only the boxes of one die, which becomes domain 0 */
void fake_only_die(unsigned int die);

/* Remove the boxes of a type, as firmware does that hides them */
void fake_without(const char *type);

/* Return the id of a box; abort() if there is none */
uint32_t fake_box(const char *type, uint32_t instance, uint32_t die);

/* Let another process have the counters of a box */
void fake_own(uint32_t box);

/* Let a box not respond, as if it had never done so */
void fake_absent(uint32_t box);

/* Remove a box, as firmware hides it; later boxes get lower ids */
void fake_hide(unsigned int box);

/* Add @nr CPU domains with one box "core0" each; LLC_MISSES is missing */
void fake_cpus(unsigned int nr);

/* Add @nr efficient cores after the CPUs of fake_cpus(), so that the processor is hybrid */
void fake_atoms(unsigned int nr);

/* Add a rejected unit on die 0, in conflict with record @other */
void fake_reject(uint32_t reason, uint32_t type, const char *name, uint32_t id, uint32_t other);

/* Add a session of process 4711 with this number of boxes and dies with chosen PMI CPUs */
struct ucore_session_info *fake_other(uint64_t id, uint32_t nr_boxes, uint32_t nr_pinned);

/* Add a table that is not used, or only partly */
void fake_table(uint32_t reason, int32_t die);

/* Add overflow interrupts to a platform with discovery */
void fake_overflow_pmi(void);

/* Return the delta of an event's count between READs or samples, without a wave */
uint64_t fake_step(const struct fake_event *event);

/* Write a record to a domain's ring, with the next sequence number */
void fake_put(unsigned int domain, void *record, uint32_t size);
void fake_sample(unsigned int domain);

/* Set up a machine from words like "machine=spr dies=1 fail=19:16 own=imc0" */
void fake_scenario(const char *words);

#endif /* FAKE_H */
