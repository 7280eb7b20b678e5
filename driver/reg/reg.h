/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Register access. Part of the reg layer. Each kind of access has a table of operations, which
 * is selected once for each box.
 *
 * A register is given by its offset from the base of a window. The base is, for example, the
 * first MSR of a C-Box or the config space of a PCI function. The meaning of registers is not
 * known here. All operations may run in hard-irq context with the domain's lock held, and none
 * may run in an NMI.
 *
 * A window that does not answer reads as all ones, for example an MSR that faults or a PCI
 * function that has been removed.
 */
#ifndef UCORE_REG_H
#define UCORE_REG_H

#include <linux/types.h>

struct pci_dev;
struct ucore_io;

/* Value of a dead register. A dword of all ones is extended to this value. */
#define UCORE_REG_DEAD		(~0ULL)

/**
 * struct ucore_io_ops - operations of one kind of access
 * @access: UCORE_ACCESS_*, reported in the list of boxes
 * @counter_cost: register accesses of one @read64
 * @read: read a control register (PCI, MMIO: a dword)
 * @write: write a control register
 * @read64: read a 64-bit register that cannot change during the read, such as a frozen counter
 * @address: get the address of a register for @read_many, NULL if not supported
 * @read_many: @read64 of several registers in any windows of this kind, by address; neither
 *             traced nor counted in a tally
 * @read_many_low: read the low 32 bits of several registers with one access each. All ones may
 *                 be a count or a dead window. NULL if a full read costs no more.
 * @read_running: read a counter that may be counting, without tearing
 * @read_low: read the low 32 bits of a counter with one access
 * @write64: write a 64-bit register that cannot change during the write, the low half last
 */
struct ucore_io_ops {
	u32 access;
	u32 counter_cost;
	u64 (*read)(const struct ucore_io *io, u32 reg);
	void (*write)(const struct ucore_io *io, u32 reg, u64 val);
	u64 (*read64)(const struct ucore_io *io, u32 reg);
	unsigned long (*address)(const struct ucore_io *io, u32 reg);
	void (*read_many)(const unsigned long *address, u64 *val, u32 nr);
	void (*read_many_low)(const unsigned long *address, u64 *val, u32 nr);
	u64 (*read_running)(const struct ucore_io *io, u32 reg);
	u64 (*read_low)(const struct ucore_io *io, u32 reg);
	void (*write64)(const struct ucore_io *io, u32 reg, u64 val);
};

/**
 * struct ucore_tally - register accesses of one domain, protected by its lock
 * @reads: reads since load
 * @writes: writes since load
 */
struct ucore_tally {
	u64 reads;
	u64 writes;
};

/* Maximum number of controls behind a soft global control. */
#define UCORE_MAX_GATED		8

/**
 * struct ucore_gate - soft global control (soft_global.c), protected by its domain's lock
 * @ctl: MSR number of the first control
 * @nr: number of consecutive controls
 * @enable: enable bit of a control
 * @open: value of the soft global control; bit i permits control i to be enabled
 * @word: values written to the controls
 */
struct ucore_gate {
	u32 ctl;
	u32 nr;
	u64 enable;
	u64 open;
	u64 word[UCORE_MAX_GATED];
};

/**
 * struct ucore_io - window of registers
 * @ops: operations
 * @tally: tally of the accesses
 * @msr: base MSR number of an MSR window
 * @config: mapped config space of an ECAM window
 * @mmio: mapped registers of an MMIO window
 * @gate: soft global control, for its own window and for the window of the controls behind it
 * @pdev: PCI function of a PCI or ECAM window (referenced)
 * @priv: base of a test's fake bus
 * @phys: physical address of the first register of an MMIO window
 */
struct ucore_io {
	const struct ucore_io_ops *ops;
	struct ucore_tally *tally;
	union {
		u32 msr;
		void __iomem *config;
		void __iomem *mmio;
		struct ucore_gate *gate;
		void *priv;
	};
	struct pci_dev *pdev;
	phys_addr_t phys;
};

extern const struct ucore_io_ops ucore_msr_ops;
extern const struct ucore_io_ops ucore_mmio_ops;

/* Process context, with the CPU hotplug lock held: */
bool ucore_msr_probe(int cpu, u32 msr, u64 *val);

void ucore_msr_read_many(const unsigned long *address, u64 *val, u32 nr);

void ucore_msr_init(struct ucore_io *io, u32 base);
void ucore_soft_global_init(struct ucore_io *io, struct ucore_gate *gate);
void ucore_soft_global_init_box(struct ucore_io *io, struct ucore_gate *gate);
void ucore_pci_init(struct ucore_io *io, struct pci_dev *pdev);
int ucore_mmio_init(struct ucore_io *io, phys_addr_t address, u32 size);
void ucore_io_close(struct ucore_io *io);

#endif /* UCORE_REG_H */
