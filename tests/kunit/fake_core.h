/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fake core PMUs behind fake MSRs: each CPU has its own registers, and every access is
 * logged. The driver's own finder, catalog and MSR access drive them.
 *
 * A suite's .init calls fake_core_init() with the contents of CPUID.0AH, and its .exit is
 * fake_core_exit().
 */
#ifndef UCORE_KUNIT_FAKE_CORE_H
#define UCORE_KUNIT_FAKE_CORE_H

#include "fake_machine.h"

#define FAKE_CORE_LOG	256

#define EAX(version, nr, width, events)	((version) | (nr) << 8 | (width) << 16 | (events) << 24)
#define EDX(nr, width)			((nr) | (width) << 5)

/**
 * struct fake_core_access - an access of an MSR
 * @cpu: CPU that made the access
 * @op: 'R' or 'W'
 * @msr: register
 * @val: value written, not compared for reads
 */
struct fake_core_access {
	u32 cpu;
	char op;
	u32 msr;
	u64 val;
};

/**
 * struct fake_core_cpu - the registers of one CPU
 * @ctl: event selects
 * @ctr: general-purpose counters
 * @fixed: fixed counters
 * @fixed_ctl: control of the fixed counters
 * @global: global control
 * @status: global status
 * @lacks_gp: number of general-purpose counters of the machine that this CPU does not have
 * @lacks_fixed: number of fixed counters of the machine that this CPU does not have
 */
struct fake_core_cpu {
	u64 ctl[8];
	u64 ctr[8];
	u64 fixed[4];
	u64 fixed_ctl;
	u64 global;
	u64 status;
	u32 lacks_gp;
	u32 lacks_fixed;
};

/**
 * struct fake_core - state of a suite that tests core PMUs
 * @machine: sessions of the test (fake_machine.h)
 * @lock: protects the registers and the log, because CPUs access them in parallel
 * @version: version of architectural performance monitoring
 * @nr_gp: number of general-purpose counters
 * @nr_fixed: number of fixed counters
 * @width: width of all counters (bits)
 * @full: full-width writes of general-purpose counters are supported
 * @faults: accesses of missing registers and writes of reserved bits
 * @cpu: registers of each CPU
 * @nr: accesses since fake_core_expect()
 * @log: the accesses, in order
 */
struct fake_core {
	struct fake_machine machine;	/* must be first: fake_machine() casts test->priv */
	raw_spinlock_t lock;
	u32 version;
	u32 nr_gp;
	u32 nr_fixed;
	u32 width;
	bool full;
	u32 faults;
	struct fake_core_cpu cpu[FAKE_CPUS];
	u32 nr;
	struct fake_core_access log[FAKE_CORE_LOG];
};

int fake_core_init(struct kunit *test, u32 eax, u32 ebx, u32 edx, bool full);
void fake_core_hybrid(struct kunit *test);
void fake_core_exit(struct kunit *test);
void fake_core_expect(struct kunit *test, const struct fake_core_access *want, u32 nr);
struct ucore_box *fake_core_box(struct kunit *test, u32 cpu);
int fake_core_nmi(u32 cpu);

static inline struct fake_core *fake_core(struct kunit *test)
{
	return test->priv;
}

#define CORE_R(_cpu, _msr)		{ .cpu = (_cpu), .op = 'R', .msr = (_msr) }
#define CORE_W(_cpu, _msr, _val)	{ .cpu = (_cpu), .op = 'W', .msr = (_msr), .val = (_val) }

/* Expect exactly these accesses, in this order, since the previous check. */
#define CORE_EXPECT(test, ...) do {					\
	const struct fake_core_access want[] = { __VA_ARGS__ };		\
									\
	fake_core_expect(test, want, ARRAY_SIZE(want));			\
} while (0)

#define CORE_EXPECT_NONE(test)	fake_core_expect(test, NULL, 0)

#endif
