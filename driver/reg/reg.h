/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Touching registers: one ops table per kind of access, chosen once per box.
 *
 * Registers are named by their offset from the window's base (the C-Box's
 * first MSR, the PCI function's config space ...).  Nothing here knows what a
 * register means.  All operations may run in hard-irq context with the domain's
 * lock held; none may run in an NMI.
 *
 * A window that does not answer (an MSR that faults, a PCI function that has
 * gone) reads as all ones.
 */
#ifndef UCORE_REG_H
#define UCORE_REG_H

#include <linux/types.h>

struct pci_dev;
struct ucore_io;

/* A dword of all ones counts as dead, too: reads widen it. */
#define UCORE_REG_DEAD		(~0ULL)

/**
 * struct ucore_io_ops - one kind of access
 * @access: UCORE_ACCESS_*, for the list of boxes
 * @counter_cost: register accesses of one @read64
 * @read: read a control register (PCI, MMIO: a dword)
 * @write: write a control register
 * @read64: read a register of 64 bits that cannot change meanwhile, such as a
 *          frozen counter
 * @address: where @read_many finds a register; NULL: it cannot
 * @read_many: @read64 of several registers, of any windows of this kind, by their addresses;
 *             neither traced nor counted
 * @read_many_low: the same of their low 32 bits, one access each; all ones may be a count or
 *                 a dead window.  NULL: a whole read takes no more
 * @read_running: read a counter that may be counting, without tearing
 * @read_low: read the low 32 bits of a counter with one access
 * @write64: write a register of 64 bits that cannot change meanwhile; the half
 *           with the lower bits last
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
 * struct ucore_tally - register accesses of one domain, guarded by its lock
 * @reads: reads since load
 * @writes: writes since load
 */
struct ucore_tally {
	u64 reads;
	u64 writes;
};

/* Controls that a gate can have */
#define UCORE_MAX_GATED		8

/**
 * struct ucore_gate - a global control in software (gate.c); guarded by its domain's lock
 * @ctl: MSR of the first control behind it
 * @nr: how many there are, one after the other
 * @enable: enable bit of a control
 * @open: bit i: control i may be enabled
 * @word: what was written to the controls
 */
struct ucore_gate {
	u32 ctl;
	u32 nr;
	u64 enable;
	u64 open;
	u64 word[UCORE_MAX_GATED];
};

/**
 * struct ucore_io - a window of registers
 * @ops: how to reach it
 * @tally: where its accesses are counted
 * @msr: base, for MSR windows
 * @config: mapped config space, for ECAM windows
 * @mmio: mapped registers, for MMIO windows
 * @gate: for windows of a gate and of the controls behind it
 * @pdev: PCI function, for PCI and ECAM windows (referenced)
 * @priv: base, for a test's fake bus
 * @phys: address of the first register, for MMIO windows
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

/* Process context, CPU hotplug held off: */
bool ucore_msr_probe(int cpu, u32 msr, u64 *val);

void ucore_msr_read_many(const unsigned long *address, u64 *val, u32 nr);

void ucore_msr_init(struct ucore_io *io, u32 base);
void ucore_soft_global_init(struct ucore_io *io, struct ucore_gate *gate);
void ucore_soft_global_init_box(struct ucore_io *io, struct ucore_gate *gate);
void ucore_pci_init(struct ucore_io *io, struct pci_dev *pdev);
int ucore_mmio_init(struct ucore_io *io, phys_addr_t address, u32 size);
void ucore_io_close(struct ucore_io *io);

#endif /* UCORE_REG_H */
