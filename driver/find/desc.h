/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Box descriptions: types, register layouts and event fields of boxes.
 *
 * Descriptions come from the static table of a platform, from PMON discovery tables or from
 * CPUID. All higher layers handle them in the same way. A description is constant once the
 * catalog is built.
 */
#ifndef UCORE_DESC_H
#define UCORE_DESC_H

#include <linux/bits.h>
#include <linux/types.h>

#include "ucore_uapi.h"

struct pci_dev;
struct ucore_port_rule;

#define UCORE_MAX_GP		8
#define UCORE_MAX_FIXED		25	/* number of free-running counters of an I/O port of DMR */
#define UCORE_MAX_COUNTERS	(UCORE_MAX_GP + UCORE_MAX_FIXED)
#define UCORE_MAX_SHARED	4	/* number of filter and match registers of a box */

#define UCORE_REG_NONE		0xffff

/*
 * Kinds of registers that the reset value of a box control may clear. The driver clears registers
 * of the other kinds one by one.
 */
#define UCORE_RESET_CTL		BIT(0)	/* controls of general counters */
#define UCORE_RESET_CTR		BIT(1)	/* general counters */

/**
 * struct ucore_box_words - values that ucore writes to the box control of a box type
 * @enable: value written first when a box is reset, 0 for none
 * @freeze: value that freezes the box
 * @reset: value that clears the registers of the kinds @reach and keeps the box frozen
 * @run: value that unfreezes the box
 * @reach: kinds of registers that @reset clears, UCORE_RESET_*
 * @tried: bits of @freeze, @reset and @run that a box may lack. Bits that do not read back as
 *         written are left out of later writes.
 * @steps: values that are written one by one before @reset, ended by 0; NULL if all bits of
 *         @reset can be set by one write
 */
struct ucore_box_words {
	u32 enable;
	u32 freeze;
	u32 reset;
	u32 run;
	u8 reach;
	u32 tried;
	const u32 *steps;
};

/**
 * struct ucore_layout - register offsets of a box within its window
 * @box_ctl: offset of the box control, UCORE_REG_NONE if absent
 * @status: offset of the box status, UCORE_REG_NONE if absent
 * @ctl: offsets of the controls of the general counters
 * @ctr: offsets of the general counters
 * @fixed_ctl: offsets of the controls of the fixed counters
 * @fixed_ctr: offsets of the fixed counters
 * @shared: offsets of the filter and match registers, which all counters of the box share
 * @wide_ctl: true if the controls of the general counters have 64 bits
 * @shared_aux: bit mask of the @shared registers that are in the box's second PCI function
 * @nr_shared: number of @shared registers
 */
struct ucore_layout {
	u16 box_ctl;
	u16 status;
	u16 ctl[UCORE_MAX_GP];
	u16 ctr[UCORE_MAX_GP];
	u16 fixed_ctl[UCORE_MAX_FIXED];
	u16 fixed_ctr[UCORE_MAX_FIXED];
	u16 shared[UCORE_MAX_SHARED];
	bool wide_ctl;
	u8 shared_aux;
	u8 nr_shared;
};

/*
 * Return the offset of the register that is read to find whether a box exists: the box control,
 * or the first counter control of a box without one.
 */
static inline u16 ucore_layout_first(const struct ucore_layout *layout)
{
	return layout->box_ctl != UCORE_REG_NONE ? layout->box_ctl : layout->ctl[0];
}

/* Values of ucore_piece.slot: the counter's control, or filter or match register i of the box */
#define UCORE_SLOT_CTL		0
#define UCORE_SLOT_SHARED(i)	((i) + 1)
#define UCORE_NR_SLOTS		(UCORE_MAX_SHARED + 1)

/**
 * struct ucore_piece - part of an event field's value, and its place in a register
 * @mask: bits of the register that contain this part of the value
 * @slot: register that contains the bits, UCORE_SLOT_*
 * @shift: number of the bit of the value that is stored in the lowest bit of @mask
 */
struct ucore_piece {
	u64 mask;
	u8 slot;
	u8 shift;
};

/**
 * struct ucore_field_desc - event field (event select, umask, filter) of a box type
 * @field: field id, UCORE_FIELD_*
 * @piece: up to two parts of the field's value, with their places in registers; the mask of an
 *         unused part is 0
 */
struct ucore_field_desc {
	u32 field;
	struct ucore_piece piece[2];
};

/**
 * struct ucore_constraint - event constraint: general counters that can count a range of events
 * @event: first event select of the range
 * @last: last event select of the range
 * @counters: bit mask of the general counters that can count these events
 * @umask: umask to which the constraint is limited, 0 for any umask
 */
struct ucore_constraint {
	u16 event;
	u16 last;
	u32 counters;
	u8 umask;
};

/**
 * struct ucore_fixed_bit - bit of a fixed counter's field in the shared fixed control
 * @ctl: bit in the control of a general counter; 0 ends a list
 * @field: bit with the same meaning in the fixed counter's field
 */
struct ucore_fixed_bit {
	u32 ctl;
	u32 field;
};

/**
 * struct ucore_increment - largest increment of a range of events in one clock
 * @event: first event select of the range
 * @last: last event select of the range
 * @max: largest increment of these events (counts per clock)
 */
struct ucore_increment {
	u16 event;
	u16 last;
	u16 max;
};

/*
 * Control bits of the event that counts every clock. Bit 31 marks the value as valid, because
 * event select 0 is an event, too.
 */
#define UCORE_CLOCK(_ctl)	(BIT(31) | (_ctl))

/* Values of ucore_box_type.status_fixed if the box status has no bit for the fixed counter */
#define UCORE_STATUS_GLOBAL	(-1)	/* only the global status shows the overflow */
#define UCORE_STATUS_VALUE	(-2)	/* only a wrapped counter value shows the overflow */

/**
 * struct ucore_box_type - properties that all boxes of a type share
 * @name: name of the box type in the user interface
 * @words: values of the box control, NULL if the boxes have no box control
 * @fields: event fields that a user can set
 * @nr_fields: number of entries of @fields
 * @constraints: event constraints, ended by an entry with counters 0; NULL for none
 * @increments: events whose largest increment differs from @max_increment, ended by an entry
 *              with max 0; NULL for none
 * @fixed_bits: bits of a general control that the field of a fixed counter has, too, ended by an
 *              entry with ctl 0; NULL if fixed counters have no event fields
 * @max_increment: largest increment of all other events (counts per clock)
 * @fixed_increment: largest increment of a fixed counter (counts per clock); 0 means 1
 * @clock: UCORE_CLOCK() of an event that counts every clock of the box, 0 if no such event is
 *         known. A fixed counter with its own control counts clocks, too.
 * @traffic: UCORE_CLOCK() of an event that counts memory requests of the CPUs, for self-tests of a
 *           type without @clock; 0 if no such event is known
 * @caps: capabilities, UCORE_BOX_F_*
 * @nr_gp: number of general counters
 * @nr_fixed: number of fixed counters
 * @width: width of a general counter (bits)
 * @fixed_width: width of a fixed counter (bits)
 * @least_width: smallest width of a general counter that a manual or other source states (bits),
 *               0 if all sources agree
 * @least_fixed_width: smallest width of a fixed counter that a manual or other source states
 *                     (bits), 0 if all sources agree
 * @ctl_en: enable bits of a general control
 * @ctl_ov_en: overflow enable bit of a general control
 * @ctl_ov_try: bit of a general control that is reserved, but may be an overflow enable; 0 for
 *              none. Only the self-test writes it, if the user allows it.
 * @ctl_rst: bit of a general control that clears its counter, 0 if absent or not to be used
 * @ctl_default: bits of a general control that are all set if an event sets none of them (user
 *               and kernel mode of core counters)
 * @fixed_en: enable bits of a fixed control
 * @fixed_ov_en: overflow enable bit of a fixed control
 * @fixed_rst: bit of a fixed control that clears its counter, 0 if absent or not to be used
 * @fixed_step: size of a fixed counter's field in the control that all fixed counters share
 *              (bits), 0 if each fixed counter has its own control
 * @preload_bits: number of low bits of a general counter that a write can set; the higher bits
 *                become copies of the highest of these bits, which every preload sets. 0 if a
 *                write sets all bits and a preload may have any value.
 * @status_gp_shift: number of the status bit of general counter 0; counter i has bit
 *                   @status_gp_shift + i
 * @status_fixed: number of the status bit of fixed counter 0, or UCORE_STATUS_*
 * @status_global: true if the box has no status register, and the global status has one bit for
 *                 each counter
 * @link_kind: UCORE_LINK_BUS if the instance number of a box is the number of its IIO stack,
 *             UCORE_LINK_UPI if it is the number of a UPI link whose PCI function contains the
 *             box; otherwise 0
 * @socket_link: true if the boxes belong to links between sockets, which a processor for one socket
 *               lacks
 */
struct ucore_box_type {
	const char *name;
	const struct ucore_box_words *words;
	const struct ucore_field_desc *fields;
	const struct ucore_constraint *constraints;
	const struct ucore_increment *increments;
	const struct ucore_fixed_bit *fixed_bits;
	u32 nr_fields;
	u32 clock;
	u32 traffic;
	u32 caps;
	u32 ctl_en;
	u32 ctl_ov_en;
	u32 ctl_ov_try;
	u32 ctl_rst;
	u32 ctl_default;
	u32 fixed_en;
	u32 fixed_ov_en;
	u32 fixed_rst;
	u16 max_increment;
	u8 fixed_increment;
	u8 fixed_step;
	u8 preload_bits;
	u8 nr_gp;
	u8 nr_fixed;
	u8 width;
	u8 fixed_width;
	u8 least_width;
	u8 least_fixed_width;
	u8 status_gp_shift;
	s8 status_fixed;
	bool status_global;
	u8 link_kind;
	bool socket_link;
};

/**
 * struct ucore_global - description of a global control of a domain
 * @ctl: MSR number of the global control, or its offset in the window
 * @status: MSR number or offset of the first word of the global status
 * @clear: MSR number or offset of the register that clears status bits (write 1 to clear), 0 if
 *         the status words themselves are written
 * @clear_mask: bits that may be written to @clear
 * @overflows: bits of the status words that show overflows, 0 if all bits do. The other bits are
 *             only cleared
 * @wraps: a counter may set its status bit whenever it wraps, also if it requests no PMI. While
 *         counters are armed, only their bits show overflows
 * @clear_untried: no source states how status bits are cleared. A trial finds out (enum
 *                 ucore_clear)
 * @clear_other: MSR that may clear status bits (write 1 to clear), if @clear_untried; 0 for none
 * @status_stride: distance between status words (MSRs or bytes)
 * @nr_status: number of 64-bit status words
 * @phys: physical address of the window of memory-mapped registers
 * @size: size of the window of memory-mapped registers (bytes), 0 for MSRs and PCI
 * @pdev: PCI function with the registers, or NULL. The code that filled in the description holds
 *        the reference.
 * @freeze: control bits that freeze the domain
 * @unfreeze: control bits that unfreeze the domain
 * @on_overflow: control bits with which an overflow freezes the domain, 0 if it does in any case.
 *               They are set in a trial of overflows, and while the domain counts after a trial
 *               has passed
 * @wake: control bits that wake a sleeping core for its PMI
 * @core_sel: mask of the field pmi_core_sel, which has one bit for each core and selects the
 *            cores that receive the PMI; 0 if PMIs cannot be routed
 * @sel_untried: no source states which CPUs the bits of @core_sel reach, or that a PMI arrives. A
 *               trial finds out (cpu/pmi_trial.c)
 * @keep: control bits that ucore saves before its first use and restores after its last use
 * @level: each write of the control sets the freeze state of the domain: a write without the
 *         bits of @freeze unfreezes the domain. With @run_level, a write with the bits of
 *         @unfreeze does
 * @enables: the control has one enable bit for each counter (core counters). @unfreeze has all
 *           these bits, and @freeze is 0. The value before ucore's first use is restored after
 *           the last use, and is no part of other writes. An overflow does not freeze the
 *           domain. Instead, the NMI handler freezes it.
 * @run_level: the counters count while the bits of @unfreeze are set, and @freeze is 0. The value
 *             before ucore's first use is restored after the last use, and is no part of other
 *             writes.
 * @nr_gated: number of counter controls that a soft global control gates; 0 if the hardware has a
 *            global control. With a soft global control, @ctl, @status and @clear are no numbers
 *            of MSRs, but only distinct.
 * @gated_ctl: MSR number of the first of these counter controls
 * @gated_ctr: MSR number of the first of their counters
 * @gated: mask of the enable bit in these counter controls
 * @gated_sign: highest bit of these counters
 * @untried: no manual states what an overflow does. The status is not used before a trial has
 *           passed on the domain (selftest/overflow_trial.c)
 * @next: next global control of the same domain; NULL for none. All global controls are written,
 *        because a freeze by one control may not stop the boxes of the others. They may differ in
 *        their freeze bits and levels, but only the first one may have a status and a PMI then.
 */
struct ucore_global {
	u32 ctl;
	u32 status;
	u32 clear;
	u32 clear_other;
	u32 nr_gated;
	u32 gated_ctl;
	u32 gated_ctr;
	u32 status_stride;
	u32 nr_status;
	u32 size;
	phys_addr_t phys;
	struct pci_dev *pdev;
	u64 freeze;
	u64 unfreeze;
	u64 on_overflow;
	u64 wake;
	u64 core_sel;
	u64 keep;
	u64 clear_mask;
	u64 overflows;
	u64 gated;
	u64 gated_sign;
	const struct ucore_global *next;
	bool level;
	bool enables;
	bool run_level;
	bool untried;
	bool wraps;
	bool clear_untried;
	bool sel_untried;
};

/**
 * struct ucore_box_desc - description of one box: type, location and registers
 * @type: box type
 * @layout: register offsets
 * @global_gp: global status bits that an overflow of the general counters may set. The words of
 *             the status are combined by OR (UCORE_MAX_STATUS).
 * @global_fixed: global status bits that an overflow of the fixed counters may set
 * @reported_in: global control whose status has a bit for the box, if no manual states what an
 *               overflow does and only a trial shows it (selftest/overflow_trial.c); otherwise NULL
 * @status_position: number of this bit in the status of @reported_in
 * @global: first global control of the box's domain; NULL if the box is frozen by its box control,
 *          because the domain has no global control, or because it does not stop the box
 * @scope: kind of the box's domain, UCORE_SCOPE_*
 * @die: logical die id of the kernel
 * @cpu: CPU of the box's domain, for UCORE_SCOPE_CPU
 * @instance: number of the box among the domain's boxes of this type
 * @msr: MSR number of the first register of a box in MSRs
 * @phys: physical address of the first register of a memory-mapped box
 * @size: size of the register window of a memory-mapped box (bytes), 0 for other boxes
 * @pdev: PCI function that contains the registers of a PCI box
 * @aux: second PCI function, which contains the registers of @shared_aux in the layout; may be
 *       NULL
 * @caps: capabilities in addition to those of the type, UCORE_BOX_F_*
 * @id_out: variable that receives the box id from the catalog; may be NULL
 * @absent: variable that is not 0 while the box has not responded since ucore was loaded. NULL for
 *          a box that responded at load
 * @link: PCI root bus of the box's IIO stack, or remote end of its UPI link; the member box of
 *        @link is not set
 * @ports: rules for the ports of the box's IIO stack, NULL if they are unknown
 */
struct ucore_box_desc {
	const struct ucore_box_type *type;
	const struct ucore_layout *layout;
	const struct ucore_global *global;
	u64 global_gp;
	u64 global_fixed;
	const struct ucore_global *reported_in;
	u32 status_position;
	u32 scope;
	u32 die;
	u32 cpu;
	u32 instance;
	u32 msr;
	u32 size;
	phys_addr_t phys;
	struct pci_dev *pdev;
	struct pci_dev *aux;
	u32 caps;
	u32 *id_out;
	u32 *absent;
	struct ucore_link_info link;
	const struct ucore_port_rule *ports;
};

#endif /* UCORE_DESC_H */
