/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Access to registers: MSRs, PCI config space and MMIO. Part of the reg layer. Each kind of
 * access has a table of operations (struct ucore_io_ops), which is selected once for each box.
 *
 * A register is given by its offset from the base of a window (struct ucore_io). The base is,
 * for example, the first MSR of a C-Box or the config space of a PCI function. This layer does
 * not interpret the values. All operations may run in hard-irq context with the domain's lock
 * held, and none may run in an NMI.
 *
 * A register that does not answer reads as all ones, for example an MSR that faults or a
 * register of a PCI function that has been removed.
 */
#ifndef UCORE_REG_H
#define UCORE_REG_H

#include <linux/types.h>

struct pci_dev;
struct ucore_io;

/* Value read from a register that does not answer. A dword of all ones is extended to it. */
#define UCORE_REG_DEAD		(~0ULL)

/**
 * struct ucore_io_ops - operations of one kind of register access (MSR, PCI, ECAM, MMIO)
 * @access: kind of access, UCORE_ACCESS_*, reported in the list of boxes
 * @counter_cost: number of hardware accesses that one @read64 needs
 * @read: read a control register (a dword in PCI config space and MMIO)
 * @write: write a control register (a dword in PCI config space and MMIO)
 * @read64: read a 64-bit register that cannot change during the read, such as a frozen counter
 * @address: return the address of a register for @read_many, NULL if not supported
 * @read_many: do @read64 for several registers of any windows of this kind, given by their
 *             addresses. The reads are neither traced nor counted in a tally.
 * @read_many_low: read the low 32 bits of several registers, given by their addresses, with one
 *                 hardware access each. A value of all ones may be a count, or the register does
 *                 not answer. NULL if a read of 64 bits needs only one hardware access.
 * @read_running: read a counter that may be counting, so that both halves are consistent
 * @read_low: read the low 32 bits of a counter, if possible with one hardware access
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
 * struct ucore_tally - number of register accesses of one domain, protected by the domain's lock
 * @reads: number of register reads since the module was loaded
 * @writes: number of register writes since the module was loaded
 */
struct ucore_tally {
	u64 reads;
	u64 writes;
};

/* Maximum number of counter controls that a soft global control can gate */
#define UCORE_MAX_GATED		8

/**
 * struct ucore_gate - soft global control: software emulation of a missing global control and of
 *                     its status
 * @status: offset of the soft status in the window of the soft global control
 * @clear: offset of the register that clears bits of the soft status (write 1 to clear)
 * @ctl: MSR number of the first gated counter control
 * @ctr: MSR number of the first counter
 * @nr: number of gated counter controls and of counters, with consecutive MSR numbers
 * @enable: mask of the enable bit in a counter control
 * @sign: highest bit of a counter, which a preload sets and an overflow clears
 * @open: value of the soft global control. The enable bit of counter control i reaches the
 *        hardware only if bit i is set.
 * @preloaded: counters whose sign bit was set by the last write, and whose bits of the soft status
 *             were not cleared afterwards
 * @word: values that were written to the counter controls
 *
 * Used by emulated_global_ctl.c. Protected by the domain's lock, but read in an NMI, too.
 */
struct ucore_gate {
	u32 status;
	u32 clear;
	u32 ctl;
	u32 ctr;
	u32 nr;
	u64 enable;
	u64 sign;
	u64 open;
	u64 preloaded;
	u64 word[UCORE_MAX_GATED];
};

/**
 * struct ucore_io - window of registers: the registers of a box or of a global control
 * @ops: operations that access the registers
 * @tally: tally of the domain in which the accesses are counted
 * @msr: MSR number of the first register of an MSR window
 * @config: mapped config space of an ECAM window
 * @mmio: mapped registers of an MMIO window
 * @gate: soft global control, if the window contains the soft global control itself or the
 *        counter controls that it gates
 * @pdev: PCI function of a PCI or ECAM window (referenced)
 * @priv: private data of the fake registers of a unit test
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
extern const struct ucore_io_ops ucore_mmio32_ops;

/* In process context, with the CPU hotplug lock held: */
bool ucore_msr_probe(int cpu, u32 msr, u64 *val);
bool ucore_msr_set(int cpu, u32 msr, u64 val);

void ucore_msr_read_many(const unsigned long *address, u64 *val, u32 nr);

void ucore_msr_init(struct ucore_io *io, u32 base);
void ucore_soft_global_init(struct ucore_io *io, struct ucore_gate *gate);
void ucore_soft_global_init_box(struct ucore_io *io, struct ucore_gate *gate);
u64 ucore_soft_global_status_in_nmi(const struct ucore_gate *gate);
void ucore_soft_global_freeze_in_nmi(const struct ucore_gate *gate);
void ucore_pci_init(struct ucore_io *io, struct pci_dev *pdev);
int ucore_mmio_init(struct ucore_io *io, phys_addr_t address, u32 size);
int ucore_mmio_init_32(struct ucore_io *io, phys_addr_t address, u32 size);
void ucore_io_close(struct ucore_io *io);

#endif /* UCORE_REG_H */
