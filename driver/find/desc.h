/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Descriptions: what boxes are, where their registers are, what they can count.
 *
 * They come from a platform's table or from PMON discovery; from there on the
 * path is one.  All of it is const once the catalog is built.
 */
#ifndef UCORE_DESC_H
#define UCORE_DESC_H

#include <linux/bits.h>
#include <linux/types.h>

#include "ucore_uapi.h"

struct pci_dev;

#define UCORE_MAX_GP		8
#define UCORE_MAX_FIXED		17	/* IIO's free-running ones */
#define UCORE_MAX_COUNTERS	(UCORE_MAX_GP + UCORE_MAX_FIXED)
#define UCORE_MAX_SHARED	4	/* filter and match registers of a box */

#define UCORE_REG_NONE		0xffff

/* What the reset word of a box reaches; the rest is zeroed register by register. */
#define UCORE_RESET_CTL		BIT(0)	/* general controls */
#define UCORE_RESET_CTR		BIT(1)	/* general counters */

/**
 * struct ucore_box_words - values of a box control register
 * @enable: written before any other when a box is taken; 0: nothing is
 * @freeze: count no more
 * @reset: reset what @reach says, stay frozen
 * @run: count
 * @reach: UCORE_RESET_*
 * @tried: bits of both that a box may lack: what does not read back is not
 *         written again
 * @steps: written one after the other before @reset, ended by 0; NULL if @reset
 *         can be written at once
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
 * struct ucore_layout - where a box keeps its registers, as window offsets
 * @box_ctl: box control, UCORE_REG_NONE where there is none
 * @status: box status, UCORE_REG_NONE where there is none
 * @ctl: general controls
 * @ctr: general counters
 * @fixed_ctl: fixed counters' controls
 * @fixed_ctr: fixed counters
 * @shared: filter and match registers
 * @wide_ctl: general controls have 64 bits
 * @shared_aux: bit i: @shared[i] lives in the box's second PCI function
 * @nr_shared: how many of them
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

/* The register that tells whether a box is there: its box control, or else its first control. */
static inline u16 ucore_layout_first(const struct ucore_layout *layout)
{
	return layout->box_ctl != UCORE_REG_NONE ? layout->box_ctl : layout->ctl[0];
}

/* A field's bits go to the counter's control or to a shared register. */
#define UCORE_SLOT_CTL		0
#define UCORE_SLOT_SHARED(i)	((i) + 1)
#define UCORE_NR_SLOTS		(UCORE_MAX_SHARED + 1)

/**
 * struct ucore_piece - where some bits of a field's value go
 * @mask: bits of the register
 * @slot: UCORE_SLOT_*
 * @shift: which bit of the value goes to the lowest bit of @mask
 */
struct ucore_piece {
	u64 mask;
	u8 slot;
	u8 shift;
};

/**
 * struct ucore_field_desc - one event field of a box type
 * @field: UCORE_FIELD_*
 * @piece: one or two places for its bits; an unused one has mask 0
 */
struct ucore_field_desc {
	u32 field;
	struct ucore_piece piece[2];
};

/**
 * struct ucore_constraint - counters an event may use
 * @event: ev_sel, first of a range
 * @last: last of the range
 * @counters: bit i: general counter i
 * @umask: of this umask alone; 0: of any
 */
struct ucore_constraint {
	u16 event;
	u16 last;
	u32 counters;
	u8 umask;
};

/**
 * struct ucore_fixed_bit - a bit of a fixed counter's field
 * @ctl: bit of a general control that means the same; 0 ends a list
 * @field: bit of the field
 */
struct ucore_fixed_bit {
	u32 ctl;
	u32 field;
};

/**
 * struct ucore_increment - largest count of an event in one clock
 * @event: ev_sel, first of a range
 * @last: last of the range
 * @max: counts
 */
struct ucore_increment {
	u16 event;
	u16 last;
	u16 max;
};

/* Bits of a general control that choose an event, told from none at all */
#define UCORE_CLOCK(_ctl)	(BIT(31) | (_ctl))

/* In the place of a bit of the box status: */
#define UCORE_STATUS_GLOBAL	(-1)	/* only the global status tells */
#define UCORE_STATUS_VALUE	(-2)	/* nothing does, but the counter's value has wrapped */

/**
 * struct ucore_box_type - what boxes of a type have in common
 * @name: as users spell it
 * @words: box control values, NULL where there is no box control
 * @fields: event fields
 * @nr_fields: how many
 * @constraints: events that cannot use every counter, ended by @counters 0
 * @increments: events that can add more or less than @max_increment, ended by @max 0
 * @fixed_bits: what of a general control a fixed counter's field has, too; NULL: fixed
 *              counters take no fields
 * @max_increment: largest count in one clock of any other event
 * @fixed_increment: largest count in one clock of a fixed counter, 0: a clock's, 1
 * @clock: UCORE_CLOCK() of an event that counts each clock of the box, 0: none is known;
 *         a fixed counter with a control of its own counts clocks, too
 * @caps: UCORE_BOX_*
 * @nr_gp: general counters
 * @nr_fixed: fixed counters
 * @width: bits of a general counter
 * @fixed_width: bits of a fixed counter
 * @least_width: where sources differ on @width: what others say, who say less; 0: they agree
 * @least_fixed_width: the same for @fixed_width
 * @ctl_en: enable bit(s) of a general control
 * @ctl_ov_en: overflow enable of a general control
 * @ctl_rst: bit of a general control that zeroes its counter, 0 if it has none or
 *           that is not to be used
 * @ctl_default: bits of a general control of which an event that says nothing has all
 * @fixed_en: enable bit(s) of a fixed control
 * @fixed_ov_en: overflow enable of a fixed control
 * @fixed_rst: bit of a fixed control that zeroes its counter, as @ctl_rst
 * @fixed_step: bits of a fixed counter's field where all fixed counters share one
 *              control, 0 where each has its own
 * @preload_bits: bits of a general counter that a write takes, the highest one being
 *                repeated above; 0: all of them
 * @status_gp_shift: bit of counter 0 in the box status
 * @status_fixed: bit of the fixed counter in the box status, or where else its
 *                overflow shows: UCORE_STATUS_*
 * @status_global: those are bits of the global status, one for each counter: the box has
 *                 no status of its own
 * @end: UCORE_LINK_BUS: a box of the IIO stack of its instance's number; UCORE_LINK_UPI:
 *       a UPI link of its instance's number, by the link's own function; 0: neither
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
	u8 end;
};

/**
 * struct ucore_global - global control of a domain
 * @ctl: global control, as an MSR or an offset in the window
 * @status: first word of global status
 * @clear: where its bits are cleared by writing 1; 0: in the status itself
 * @clear_mask: with @clear: bits that may be written there
 * @status_stride: registers or bytes from one word to the next
 * @nr_status: words of 64 bits
 * @phys: first byte, if it is memory-mapped
 * @size: bytes, if it is memory-mapped, else 0
 * @pdev: its PCI function, if it is in one (referenced by who made this)
 * @freeze: control bits that freeze the domain
 * @unfreeze: control bits that let it run
 * @wake: control bits that wake a sleeping core for its PMI
 * @core_sel: pmi_core_sel, a bit for each core; 0: no PMI can be routed
 * @keep: control bits that are left as they were found
 * @level: every write sets the domain's state: without @freeze it runs
 * @enables: @unfreeze is a set of enables, one for each counter, and @freeze is 0: what
 *           was found is put back, and is no part of other writes.  An overflow
 *           does not freeze the domain: its NMI does
 * @nr_gated: it does not exist, and stands for the enable bits of so many controls,
 *            the first of which is @ctl
 * @gated: that enable bit
 * @next: a further global control of the domain, alike but for its place; NULL: none.
 *        One of them frozen may or may not freeze the boxes of the others, so all are
 *        written
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
 * struct ucore_box_desc - one box, as found
 * @type: what it is
 * @layout: where its registers are
 * @global_gp: bits of the global status (its words, folded: domain.h) that its
 *             general counters may set
 * @global_fixed: bits of the global status that its fixed counters may set
 * @global: the first global control of its domain; NULL where there is none: then the
 *          domain's boxes are frozen one by one
 * @scope: UCORE_SCOPE_*: what its domain is
 * @die: logical die
 * @cpu: the CPU that its domain is, for UCORE_SCOPE_CPU
 * @instance: number among its type in the domain
 * @msr: base MSR, for MSR boxes
 * @phys: first byte, for MMIO boxes
 * @size: bytes, for MMIO boxes; 0 for all others
 * @pdev: PCI function, for PCI boxes
 * @aux: second PCI function, for layouts with @shared_aux; may be NULL
 * @caps: UCORE_BOX_* beside those of the type
 * @told: where the catalog puts the box's id; may be NULL
 * @end: what is at its other end, but for the box's id
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
	u32 *told;
	struct ucore_link_info end;
};

#endif /* UCORE_DESC_H */
