/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Box descriptions: types, register layouts and event fields of boxes.
 *
 * Descriptions come from the static table of a platform or from PMON discovery. All later
 * layers handle both alike. A description is constant once the catalog is built.
 */
#ifndef UCORE_DESC_H
#define UCORE_DESC_H

#include <linux/bits.h>
#include <linux/types.h>

#include "ucore_uapi.h"

struct pci_dev;

#define UCORE_MAX_GP		8
#define UCORE_MAX_FIXED		17	/* free-running counters of an IIO stack */
#define UCORE_MAX_COUNTERS	(UCORE_MAX_GP + UCORE_MAX_FIXED)
#define UCORE_MAX_SHARED	4	/* filter and match registers of a box */

#define UCORE_REG_NONE		0xffff

/*
 * Registers that the reset value of a box control clears; the driver clears all others one by
 * one.
 */
#define UCORE_RESET_CTL		BIT(0)	/* general controls */
#define UCORE_RESET_CTR		BIT(1)	/* general counters */

/**
 * struct ucore_box_words - values of a box control register
 * @enable: value written first when a box is acquired, 0 for none
 * @freeze: value that freezes the box
 * @reset: value that resets the registers in @reach and keeps the box frozen
 * @run: value that unfreezes the box
 * @reach: registers that @reset clears, UCORE_RESET_*
 * @tried: bits of @freeze and @run that the box may lack; bits that do not read back as written
 *         are dropped from later writes
 * @steps: values written one by one before @reset, ended by 0; NULL if @reset can be written at
 *         once
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
 * @box_ctl: box control, UCORE_REG_NONE if absent
 * @status: box status, UCORE_REG_NONE if absent
 * @ctl: general controls
 * @ctr: general counters
 * @fixed_ctl: controls of the fixed counters
 * @fixed_ctr: fixed counters
 * @shared: filter and match registers
 * @wide_ctl: true if general controls have 64 bits
 * @shared_aux: bit mask of the @shared registers in the box's second PCI function
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
 * Return the register that shows whether a box exists: the box control, or the first counter
 * control.
 */
static inline u16 ucore_layout_first(const struct ucore_layout *layout)
{
	return layout->box_ctl != UCORE_REG_NONE ? layout->box_ctl : layout->ctl[0];
}

/* Register that holds a field's bits: the counter control or a shared register */
#define UCORE_SLOT_CTL		0
#define UCORE_SLOT_SHARED(i)	((i) + 1)
#define UCORE_NR_SLOTS		(UCORE_MAX_SHARED + 1)

/**
 * struct ucore_piece - register bits for one part of a field's value
 * @mask: register bits
 * @slot: register, UCORE_SLOT_*
 * @shift: bit of the value that is stored in the lowest bit of @mask
 */
struct ucore_piece {
	u64 mask;
	u8 slot;
	u8 shift;
};

/**
 * struct ucore_field_desc - event field of a box type
 * @field: field id, UCORE_FIELD_*
 * @piece: up to two parts of the value; the mask of an unused part is 0
 */
struct ucore_field_desc {
	u32 field;
	struct ucore_piece piece[2];
};

/**
 * struct ucore_constraint - counters that a range of events may use
 * @event: first ev_sel of the range
 * @last: last ev_sel of the range
 * @counters: bit mask of general counters
 * @umask: umask that the constraint is limited to, 0 for any
 */
struct ucore_constraint {
	u16 event;
	u16 last;
	u32 counters;
	u8 umask;
};

/**
 * struct ucore_fixed_bit - bit of a fixed counter's control field
 * @ctl: bit of a general control with the same meaning; 0 ends a list
 * @field: bit of the fixed counter's field
 */
struct ucore_fixed_bit {
	u32 ctl;
	u32 field;
};

/**
 * struct ucore_increment - largest increment of a range of events in one clock
 * @event: first ev_sel of the range
 * @last: last ev_sel of the range
 * @max: largest increment (counts per clock)
 */
struct ucore_increment {
	u16 event;
	u16 last;
	u16 max;
};

/* Event selection bits of a general control, marked as valid because 0 selects an event, too */
#define UCORE_CLOCK(_ctl)	(BIT(31) | (_ctl))

/* Special values in place of a bit of the box status */
#define UCORE_STATUS_GLOBAL	(-1)	/* only the global status shows it */
#define UCORE_STATUS_VALUE	(-2)	/* only a wrapped counter value shows it */

/**
 * struct ucore_box_type - properties that all boxes of a type share
 * @name: name in the user interface
 * @words: box control values, NULL without a box control
 * @fields: event fields
 * @nr_fields: number of event fields
 * @constraints: events that are limited to some counters, ended by @counters 0
 * @increments: events whose largest increment differs from @max_increment, ended by @max 0
 * @fixed_bits: bits of a general control that a fixed counter's field has, too; NULL if fixed
 *              counters take no fields
 * @max_increment: largest increment of all other events (counts per clock)
 * @fixed_increment: largest increment of a fixed counter (counts per clock); 0 means 1
 * @clock: UCORE_CLOCK() of an event that counts every clock of the box, 0 if unknown. A fixed
 *         counter with its own control counts clocks, too.
 * @caps: capabilities, UCORE_BOX_*
 * @nr_gp: number of general counters
 * @nr_fixed: number of fixed counters
 * @width: width of a general counter (bits)
 * @fixed_width: width of a fixed counter (bits)
 * @least_width: smallest @width in the sources (bits), 0 if all sources agree
 * @least_fixed_width: smallest @fixed_width in the sources (bits), 0 if all sources agree
 * @ctl_en: enable bits of a general control
 * @ctl_ov_en: overflow enable bit of a general control
 * @ctl_rst: bit of a general control that clears its counter, 0 if absent or not to be used
 * @ctl_default: bits of a general control that are all set if an event sets none of them
 * @fixed_en: enable bits of a fixed control
 * @fixed_ov_en: overflow enable bit of a fixed control
 * @fixed_rst: bit of a fixed control that clears its counter, 0 as in @ctl_rst
 * @fixed_step: size of a fixed counter's field in a control shared by all fixed counters
 *              (bits), 0 with one control per fixed counter
 * @preload_bits: low bits of a general counter that a write sets, with sign extension above; 0
 *                for all bits
 * @status_gp_shift: box status bit of general counter 0
 * @status_fixed: box status bit of the fixed counter, or UCORE_STATUS_*
 * @status_global: true if the status bits are in the global status, one per counter, because
 *                 the box has no status
 * @link_kind: UCORE_LINK_BUS if the instance is the number of an IIO stack, UCORE_LINK_UPI if it
 *             is the number of a UPI link and the box is in the link's function; else 0
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
	u32 caps;
	u32 ctl_en;
	u32 ctl_ov_en;
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
};

/**
 * struct ucore_global - global control of a domain
 * @ctl: global control: MSR, or offset in the window
 * @status: first word of the global status
 * @clear: register that clears status bits (write 1 to clear), 0 for the status itself
 * @clear_mask: bits that may be written to @clear
 * @status_stride: distance between status words (registers or bytes)
 * @nr_status: number of 64-bit status words
 * @phys: physical address of a memory-mapped window
 * @size: size of a memory-mapped window (bytes), 0 for MSRs and PCI
 * @pdev: PCI function with the registers, or NULL; its creator holds the reference
 * @freeze: control bits that freeze the domain
 * @unfreeze: control bits that unfreeze the domain
 * @wake: control bits that wake a sleeping core for its PMI
 * @core_sel: pmi_core_sel, one bit per core; 0 if PMIs cannot be routed
 * @keep: control bits that keep the value found at acquisition
 * @level: every write sets the domain's state; a write without @freeze unfreezes it
 * @enables: @unfreeze holds one enable bit per counter and @freeze is 0. The value found is
 *           restored at release and is no part of other writes. An overflow does not freeze the
 *           domain; the NMI handler does.
 * @nr_gated: number of counter controls that replace a missing global control, from @ctl on; 0
 *            if @ctl exists
 * @gated: enable bit of these controls
 * @next: further global control of the domain, equal except for its address; NULL for none. All
 *        are written, because one frozen control may not freeze the boxes of the others.
 */
struct ucore_global {
	u32 ctl;
	u32 status;
	u32 clear;
	u32 nr_gated;
	u32 status_stride;
	u32 nr_status;
	u32 size;
	phys_addr_t phys;
	struct pci_dev *pdev;
	u64 freeze;
	u64 unfreeze;
	u64 wake;
	u64 core_sel;
	u64 keep;
	u64 clear_mask;
	u64 gated;
	const struct ucore_global *next;
	bool level;
	bool enables;
};

/**
 * struct ucore_box_desc - description of a box
 * @type: box type
 * @layout: register offsets
 * @global_gp: global status bits (words folded into one, see domain.h) that the general
 *             counters may set
 * @global_fixed: global status bits that the fixed counters may set
 * @global: first global control of the box's domain; NULL if the domain's boxes are frozen one
 *          by one
 * @scope: kind of domain, UCORE_SCOPE_*
 * @die: logical die
 * @cpu: the domain's CPU, for UCORE_SCOPE_CPU
 * @instance: number among the domain's boxes of this type
 * @msr: base MSR of an MSR box
 * @phys: physical address of an MMIO box
 * @size: window size of an MMIO box (bytes), 0 for other boxes
 * @pdev: PCI function of a PCI box
 * @aux: second PCI function, for layouts with @shared_aux; may be NULL
 * @caps: capabilities in addition to those of the type, UCORE_BOX_*
 * @id_out: variable for the box id that the catalog assigns; may be NULL
 * @link: stack or link partner of the box, without the box id
 */
struct ucore_box_desc {
	const struct ucore_box_type *type;
	const struct ucore_layout *layout;
	const struct ucore_global *global;
	u64 global_gp;
	u64 global_fixed;
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
	struct ucore_link_info link;
};

#endif /* UCORE_DESC_H */
