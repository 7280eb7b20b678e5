/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fake register bus. A window holds registers in memory behind a struct ucore_io_ops, as any
 * register access of the driver. The bus logs every access. Callable in any context.
 */
#ifndef UCORE_KUNIT_FAKE_BUS_H
#define UCORE_KUNIT_FAKE_BUS_H

#include <kunit/test.h>
#include <linux/spinlock.h>

#include "box/counter.h"
#include "find/found_boxes.h"

#define FAKE_LOG	2048
#define FAKE_REGS	32

struct fake_window;

/**
 * struct fake_access - a logged register access (of one dword in a PCI counter)
 * @win: window that was accessed
 * @op: 'R' or 'W'
 * @reg: register
 * @val: value written, not compared for reads
 * @cpu: CPU that made the access, not compared
 */
struct fake_access {
	const struct fake_window *win;
	char op;
	u32 reg;
	u64 val;
	u32 cpu;
};

/**
 * struct fake_bus - access log of all windows of a machine
 * @lock: protects the log and all windows, because domains are accessed in parallel
 * @nr: accesses since fake_bus_clear()
 * @hook: called without @lock before each read, may be NULL
 * @clocked: window whose enabled counters count with each access of the bus, may be NULL
 * @clocked_too: another window whose enabled counters count, may be NULL
 * @clocks: number of clocks per access, 0 for one
 * @log: the accesses, in order
 */
struct fake_bus {
	raw_spinlock_t lock;
	u32 nr;
	void (*hook)(void);
	struct fake_window *clocked;
	struct fake_window *clocked_too;
	u32 clocks;
	struct fake_access log[FAKE_LOG];
};

/* What an overflow of a clocked general counter with its overflow enable does */
enum fake_overflow {
	FAKE_OVERFLOW_IGNORED,
	FAKE_OVERFLOW_FREEZES,		/* the die, and sets the status bits */
	FAKE_OVERFLOW_SETS_BITS,	/* only */
	FAKE_OVERFLOW_FREEZES_BOX,	/* only the box itself, and sets the status bits */
	FAKE_OVERFLOW_STICKS,		/* freezes the die, and no unfreeze ends the freeze */
};

/* What clears the bits of a global status */
enum fake_clear {
	FAKE_CLEARED_BY_ONES,		/* written to the status */
	FAKE_CLEARED_BY_ZERO,		/* written to the status */
	FAKE_CLEARED_BY_OTHER,		/* ones written to struct ucore_global.clear_other */
	FAKE_CLEARED_BY_NOTHING,
};

/**
 * struct fake_window - registers of one box, or of a domain's global control
 * @bus: bus of the window
 * @name: name for messages
 * @type: box type, which defines the registers that a reset clears
 * @layout: register layout of the box
 * @global: registers of the global control, NULL for a box
 * @frozen: freeze state of the global control
 * @die: window of the global control whose freeze stops the box, may be NULL
 * @ignores_freeze: the box's own freeze bit does not stop its counters
 * @width: counter width in bits, or 0 if counters keep every written bit
 * @absent: bits of the box control that do not exist
 * @faults: writes to the box control with a bit of @absent are dropped
 * @drops_values: counters do not retain a written value
 * @ctl_absent: bits of counter controls that do not exist
 * @ov_try_sets: bits of the global status that are set when a control is written with its enable
 *               bit and its reserved overflow enable
 * @overflow: effect of an overflow of a general counter
 * @ov_sets: bits of the global status that such an overflow sets
 * @ov_status: bits of the box status that it sets
 * @clears: what clears the global status (global control)
 * @halted: an overflow has frozen the box
 * @stuck: no unfreeze has an effect (global control)
 * @reserved: bits reserved in all registers: writes that set a reserved bit are dropped
 * @write_only: reads of the box control return 0
 * @dead: reads return all ones, writes are dropped
 * @ones_left: number of reads that return all ones before the box responds
 * @dies_after: number of accesses after which the box is dead, or 0
 * @nr: number of entries in @regs
 * @regs: registers that have been accessed (all others read 0)
 */
struct fake_window {
	struct fake_bus *bus;
	char name[16];
	const struct ucore_box_type *type;
	const struct ucore_layout *layout;
	const struct ucore_global *global;
	bool frozen;
	struct fake_window *die;
	bool ignores_freeze;
	u32 width;
	u32 absent;
	bool faults;
	bool drops_values;
	u64 ctl_absent;
	u64 ov_try_sets;
	enum fake_overflow overflow;
	u64 ov_sets;
	u64 ov_status;
	enum fake_clear clears;
	bool halted;
	bool stuck;
	u64 reserved;
	bool write_only;
	bool dead;
	u32 ones_left;
	u32 dies_after;
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

/* Expect exactly these accesses, in this order, since the log was last cleared. */
#define FAKE_EXPECT(test, bus, ...) do {				\
	const struct fake_access want[] = { __VA_ARGS__ };		\
									\
	fake_bus_expect(test, bus, want, ARRAY_SIZE(want));		\
} while (0)

#define FAKE_EXPECT_NONE(test, bus)	fake_bus_expect(test, bus, NULL, 0)

#endif
