/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Machine of fake boxes: the driver's own catalog, filled from a static table with boxes on
 * the fake bus. Also owns hand-made domain contexts and the sessions of a test.
 *
 * A suite's .init is a function fake_machine_init*(), and its .exit is fake_machine_exit().
 * The plain fake_machine_init() makes one domain of an E5-2600 v2. The variant _2 has two
 * dies, and _cpu has a die and CPU 0 as a domain. Other variants make one domain of another
 * platform: _v1 (E5-2600), _hswep (E5-2600 v3), _skx (Skylake-SP), _icx (Ice Lake-SP), _snr (Snow
 * Ridge), _skl (Skylake, a client processor), _adl (Alder Lake) and _mtl (Meteor Lake). The variant
 * _nhm has two packages of Nehalem-EP.
 */
#ifndef UCORE_KUNIT_FAKE_MACHINE_H
#define UCORE_KUNIT_FAKE_MACHINE_H

#include "box/catalog.h"
#include "box/domain_global_ctl.h"
#include "box/freeze.h"
#include "cpu/nmi_handler.h"
#include "event/event.h"
#include "fake_bus.h"
#include "hotplug/reader_cpu.h"
#include "irq/timer.h"
#include "irq/watchdog.h"
#include "platforms/match.h"
#include "sample/readout.h"
#include "session/pmi_cpus.h"
#include "session/session_and_events.h"
#include "session/snapshot.h"
#include "session/start_stop_reset.h"

#define FAKE_NR_CBO	3
#define FAKE_BOXES	64	/* maximum of a domain */
#define FAKE_SESSIONS	(UCORE_BOX_SESSIONS_MAX + 8)
#define FAKE_CTXS	4
#define FAKE_CTX_BOXES	8
#define FAKE_CTX_CTRS	32

/* Registers and bits of the global control, from the manual */
#define GLOBAL_CTL	0xc00
#define GLOBAL_STATUS	0xc01
#define CPU_STATUS	0xc02	/* status of the domain with the scope CPU */
#define FREEZE		BIT_ULL(31)
#define WAKE		BIT_ULL(30)
#define UNFREEZE	BIT_ULL(29)

/**
 * struct fake_machine - state of a suite that tests uncore boxes
 * @bus: access log of all registers
 * @global: global control of each domain
 * @sink: sink of hand-made domain contexts
 * @session: sessions that fake_machine_exit() closes
 * @ctx: hand-made domain contexts
 * @nr_ctxs: number of entries in @ctx
 * @with_cpu: the second domain has the scope CPU (CPU 0)
 * @cpu_global: global control of the second domain, with @with_cpu
 */
struct fake_machine {
	struct fake_bus bus;
	struct fake_window *global;
	struct ucore_sink sink;
	struct ucore_session *session[FAKE_SESSIONS];
	struct ucore_domain_ctx *ctx[FAKE_CTXS];
	u32 nr_ctxs;
	bool with_cpu;
	struct ucore_global cpu_global;
};

int fake_machine_init(struct kunit *test);
int fake_machine_init_v1(struct kunit *test);
int fake_machine_init_2(struct kunit *test);
int fake_machine_init_cpu(struct kunit *test);
int fake_machine_init_hswep(struct kunit *test);
int fake_machine_init_skx(struct kunit *test);
int fake_machine_init_icx(struct kunit *test);
int fake_machine_init_snr(struct kunit *test);
int fake_machine_init_skl(struct kunit *test);
int fake_machine_init_adl(struct kunit *test);
void fake_build_without_memory(struct kunit *test);
int fake_machine_init_mtl(struct kunit *test);
int fake_machine_init_nhm(struct kunit *test);
void fake_machine_exit(struct kunit *test);

/* For suites whose catalog the driver built: find a box (NULL if none), and the .exit function */
struct ucore_box *box_find(const char *type, u32 die, u32 instance);
void fake_catalog_exit(struct kunit *test);

struct ucore_box *fake_box(struct kunit *test, u32 domain, const char *type, u32 instance);
void fake_expect_increments(struct kunit *test, const struct ucore_box *box, const u8 inc[256],
			    u32 most);
void fake_overflow(struct ucore_box *box, u32 reg, u64 count, u64 status, u64 global);

static inline struct fake_machine *fake_machine(struct kunit *test)
{
	return test->priv;
}

static inline struct fake_bus *bus_of(struct kunit *test)
{
	return &fake_machine(test)->bus;
}

static inline struct fake_window *fake_window(const struct ucore_box *box)
{
	return box->io.priv;
}

static inline struct fake_window *fake_global(u32 domain)
{
	return ucore_catalog.domains[domain].io.priv;
}

/* Number of entries of a list of the registers of a box, with the 0 that ends it */
#define FAKE_ROW_REGS	5

struct ucore_static_msr;

/*
 * Check the MSRs of a box: @regs are those of the controls, then those of the counters, ended by 0.
 */
void fake_expect_registers(struct kunit *test, const struct ucore_static_msr *row, u32 instance,
			   const u16 *regs);

/* Restrict an event whose period must end by an interrupt. */
static inline int fake_restrict(const struct ucore_box *box, u64 counters, u64 period,
				struct ucore_event_spec *spec)
{
	return ucore_event_restrict(box, counters, period, UCORE_END_INTERRUPT, spec);
}

/* Make domain contexts by hand, as session/prepare_contexts.c makes them of events. */
struct ucore_domain_ctx *fake_ctx(struct kunit *test, u32 domain, u32 ring_size);
struct ucore_counter *fake_ctx_add(struct ucore_domain_ctx *ctx, struct ucore_box *box,
				   u32 counter, u64 ctl, u64 period);
void fake_ctx_list(struct ucore_domain_ctx *ctx);

static inline void ctx_times(const struct ucore_domain_ctx *ctx, u64 now, u64 *enabled,
			     u64 *running)
{
	ucore_ctx_times(ctx, now, ucore_domain_frozen_ns(ctx->domain, now), enabled, running);
}

/* Sessions */
struct ucore_session *fake_session_config(struct kunit *test,
					  const struct ucore_create_session *config);
struct ucore_session *fake_session(struct kunit *test);
void fake_session_close(struct kunit *test, struct ucore_session *session);
int fake_add(struct ucore_session *session, struct ucore_box *box, u64 event, u64 counters,
	     u64 period, struct ucore_add_event *out);
/* Add event 35h (such as the C-Box's TOR_INSERTS) with one more field. */
int fake_add_field(struct ucore_session *session, struct ucore_box *box, u32 field, u64 value);
int fake_start(struct ucore_session *session);
void fake_stop(struct ucore_session *session);

/* Call the driver's function with the locks that SET_PMI_CPUS takes. */
void fake_reader_choose(struct ucore_domain *domain, int cpu, const struct cpumask *cpus);

/* Call the driver's function with the lock that the ioctl takes. */
int session_remove(struct ucore_session *session, u32 event);
void session_read(struct ucore_session *session, bool live);
void session_unread(struct ucore_session *session);
int session_reset(struct ucore_session *session);
int session_set_cpus(struct ucore_session *session, const u32 *cpus, u32 nr);
int session_set_cpu(struct ucore_session *session, u32 cpu);
struct ucore_get_status session_status(struct ucore_session *session);

/* Consume the next unread record of a ring and return it, or NULL if there is none. */
const void *fake_record(struct ucore_ring *ring);

#endif
