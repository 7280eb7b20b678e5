/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A fake register bus: windows of registers in memory behind a struct
 * ucore_io_ops like any other, and a log of every access.
 */
#ifndef UCORE_KUNIT_FAKE_BUS_H
#define UCORE_KUNIT_FAKE_BUS_H

#include <kunit/test.h>
#include <linux/spinlock.h>

#include "box/counter.h"
#include "find/finder.h"

#define FAKE_LOG	2048
#define FAKE_REGS	32

struct fake_window;

/**
 * struct fake_access - one access; a PCI counter is accessed by dwords
 * @win: where
 * @op: 'R' or 'W'
 * @reg: register
 * @val: value written; not compared for reads
 * @cpu: who; not compared
 */
struct fake_access {
	const struct fake_window *win;
	char op;
	u32 reg;
	u64 val;
	u32 cpu;
};

/**
 * struct fake_bus - all windows of a machine, in the order of their accesses
 * @lock: domains are touched in parallel
 * @nr: accesses since fake_bus_clear()
 * @hook: told of each read before it is made, not locked; NULL: nobody is
 * @clocked: a window whose clock counts one with each access of the bus, while it is let
 * @log: they
 */
struct fake_bus {
	raw_spinlock_t lock;
	u32 nr;
	void (*hook)(void);
	struct fake_window *clocked;
	struct fake_access log[FAKE_LOG];
};

/**
 * struct fake_window - registers of one box, or of a domain's global control
 * @bus: its bus
 * @name: for messages
 * @type: box type, which tells what a reset resets
 * @layout: where its registers are
 * @global: for the global control: where its registers are
 * @frozen: the global control's freeze
 * @die: the global control whose freeze stops its clock; NULL: none does
 * @restless: its own freeze does not
 * @width: bits of its counters, 0: as many as are written
 * @absent: bits of the box control that are not there
 * @faults: writes with one of them are dropped
 * @forgets: counters keep nothing
 * @ctl_absent: bits that controls have not
 * @reserved: bits that no register has: writes with one of them are dropped
 * @dead: does not answer
 * @asleep: reads that it answers with all ones before it wakes up
 * @domains_after: number of accesses after which it stops to answer; 0: never
 * @nr: registers that were ever touched
 * @regs: they; all others read 0
 */
struct fake_window {
	struct fake_bus *bus;
	char name[16];
	const struct ucore_box_type *type;
	const struct ucore_layout *layout;
	const struct ucore_global *global;
	bool frozen;
	struct fake_window *die;
	bool restless;
	u32 width;
	u32 absent;
	bool faults;
	bool forgets;
	u64 ctl_absent;
	u64 reserved;
	bool dead;
	u32 asleep;
	u32 domains_after;
	u32 nr;
	struct {
		u32 reg;
		u64 val;
	} regs[FAKE_REGS];
};

extern const struct ucore_io_ops fake_msr_ops;
extern const struct ucore_io_ops fake_pci_ops;
extern const struct ucore_io_ops fake_mmio_ops;

u64 fake_peek(struct fake_window *win, u32 reg);
void fake_poke(struct fake_window *win, u32 reg, u64 val);

void fake_bus_clear(struct fake_bus *bus);
u32 fake_bus_count(struct fake_bus *bus, const struct fake_window *win, char op);
u32 fake_bus_count_cpu(struct fake_bus *bus, u32 cpu);
void fake_bus_expect(struct kunit *test, struct fake_bus *bus,
		     const struct fake_access *want, u32 nr);

#define FAKE_R(_win, _reg)		{ .win = (_win), .op = 'R', .reg = (_reg) }
#define FAKE_W(_win, _reg, _val)	{ .win = (_win), .op = 'W', .reg = (_reg), .val = (_val) }

/* The accesses since the last look are these, in this order. */
#define FAKE_EXPECT(test, bus, ...) do {				\
	const struct fake_access want[] = { __VA_ARGS__ };		\
									\
	fake_bus_expect(test, bus, want, ARRAY_SIZE(want));		\
} while (0)

#define FAKE_EXPECT_NONE(test, bus)	fake_bus_expect(test, bus, NULL, 0)

#endif /* UCORE_KUNIT_FAKE_BUS_H */
