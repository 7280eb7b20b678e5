/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Common definitions of the generations with a discovery table.
 *
 * The file of a platform lists the types that a table may contain, with their
 * numbers and addresses. This file has the bits and offsets that the platforms
 * share. Choices where the public sources are silent are documented in
 * README.md, "Discovery platforms".
 *
 * The numbers are repeated here independently of the driver's headers, so that
 * a misread value on one side is detected.
 */
#ifndef UCORE_PLATFORMS_DISCOVERY_H
#define UCORE_PLATFORMS_DISCOVERY_H

#include "../model.h"

/* ------------------------------------------------------ bits of registers */

/* control of a counter. Bit 22 is legal, and has no effect. */
#define EVENT_SELECT        0x000000ff
#define UNIT_MASK           0x0000ff00
#define THREAD_FILTER       0x00010000  /* CHA of spr and emr */
#define COUNTER_RESET       0x00020000
#define EDGE_DETECT         0x00040000
#define OVERFLOW_ENABLE     0x00100000
#define IGNORED_BIT_22      0x00400000
#define COMPARE_INVERT      0x00800000
#define THRESHOLD           0xff000000
#define CTL_LEGAL           (EVENT_SELECT | UNIT_MASK | COUNTER_RESET | \
                             EDGE_DETECT | OVERFLOW_ENABLE | IGNORED_BIT_22 | \
                             COMPARE_INVERT | THRESHOLD)

/* the upper dword: 24 bits of umask, of a CHA 32 */
#define UMASK_24            0x00ffffff00000000
#define UMASK_32            0xffffffff00000000
/* of an IIO stack: threshold of 12 bits, 12 channels, 3 classes */
#define IIO_THRESHOLD       0x0000000fff000000
#define IIO_CHANNELS        0x0000fff000000000
#define IIO_CLASSES         0x0007000000000000

/* control of a fixed counter; the reset is as on the generations before */
#define FIXED_RESET         0x00080000
#define FIXED_OVERFLOW      0x00100000
#define FIXED_ENABLE        0x00400000

/* control of a box */
#define BOX_FREEZE          0x001
#define BOX_RESET_CONTROLS  0x100
#define BOX_RESET_COUNTERS  0x200

/* -------------------------------------------------------------- box types */

/* In the rate formula the types of a table have numbers above those of e5.h. */
#define RATE_ID(number) (100 + (number))

#define TYPE(name_, number_, nr_, traits_) \
    .name = name_, .id = RATE_ID(number_), .nr_gp = nr_, .nr_max = 1000, \
    .width = 48, .fixed_width = 48, \
    .ctl_rst = COUNTER_RESET, .ov_en = OVERFLOW_ENABLE, \
    .thresh = THRESHOLD, .invert = COMPARE_INVERT, .clock_event = 1, \
    .box_ctl = true, .box_status = true, \
    .status_fixed = nr_, .traits = traits_

/* controls of 32 bits, and of 64 with an extended umask */
#define NARROW(nr_) \
    .ctl_legal = CTL_LEGAL, .status_legal = GENMASK((nr_) - 1, 0)
#define EXTENDED(nr_) \
    .ctl_legal = CTL_LEGAL | UMASK_24, .umask_ext = UMASK_24, \
    .status_legal = GENMASK((nr_) - 1, 0)
#define WITH_FIXED(nr_) \
    .ctl_legal = CTL_LEGAL, .status_legal = GENMASK(nr_, 0), .fixed = true, \
    .fixed_legal = FIXED_RESET | FIXED_OVERFLOW | FIXED_ENABLE, \
    .fixed_rst = FIXED_RESET
/* @extra: further bits of the platform's control */
#define CHA_TYPE(extra) \
    TYPE("cha", 0, 4, ucore_disc_cha_traits), \
    .ctl_legal = CTL_LEGAL | UMASK_32 | (extra), \
    .umask_ext = UMASK_32, .status_legal = GENMASK(3, 0), \
    .constraints = ucore_disc_cha_constraints
#define MDF_TYPE(number) \
    TYPE("mdf", number, 4, ucore_disc_mdf_traits), EXTENDED(4)

#define CLOCK(rate)     { .event = 1, .clock = rate }
#define TRAITS(name, ...) \
    static const UcoreEventTrait name##_traits[] = { \
        __VA_ARGS__, UCORE_TRAITS_END \
    }

extern const UcoreConstraint ucore_disc_cha_constraints[];
extern const UcoreEventTrait ucore_disc_cha_traits[], ucore_disc_mdf_traits[];

/* the same on all platforms */
extern const UcoreBoxType ucore_disc_iio, ucore_disc_irp, ucore_disc_pcu;
extern const UcoreBoxType ucore_disc_ubox, ucore_disc_imc, ucore_disc_upi;
extern const UcoreBoxType ucore_disc_cxlcm, ucore_disc_cxldp;

/* ------------------------------------------------------------------ sites */

#define STRIDE  0x10

#define MSR_UNIT(number_, nr_, base_) \
    .number = number_, .access = UCORE_ACCESS_MSR, .nr = nr_, \
    .base = base_, .stride = STRIDE, \
    .ctl = 2, .ctl_stride = 1, .ctr = 8, .status = 1, .wide_ctl = true
/* iMC channel n: controllers 0x80000 apart, their two channels 0x8000 */
#define IMC_UNIT(number_, nr_, base_) \
    .number = number_, .access = UCORE_ACCESS_MMIO, .nr = nr_, \
    .base = base_, .stride = 0x8000, .pair_stride = 0x80000, \
    .ctl = 0x40, .ctl_stride = 4, .ctr = 0x8, \
    .status = 0x5c
#define CXL_UNIT(number_, ctl_, status_, nr_, base_) \
    .number = number_, .access = UCORE_ACCESS_MMIO, .nr = nr_, \
    .base = base_, .stride = 0x10000, .pair_stride = 0x20000, \
    .ctl = ctl_, .ctl_stride = 8, .ctr = 0x8, \
    .status = status_, .wide_ctl = true
#define PCI_UNIT(number_, ctl_, status_, nr_, base_) \
    .number = number_, .access = UCORE_ACCESS_PCI, .nr = nr_, \
    .base = base_, .ctl = ctl_, .ctl_stride = 8, \
    .ctr = 0x8, .status = status_, .wide_ctl = true

#define FIXED_IN_IMC    .fixed_ctr = 0x38, .fixed_ctl = 0x54

#define UPI_SITES \
    { .type = &ucore_disc_upi, .unit = { \
        PCI_UNIT(8, 0x38, 0x60, 4, 0x318), \
        .slot = 1, .function = 1, .device_id = 0x3241 } }
#define CXL_SITES \
    { .type = &ucore_disc_cxlcm, .unit = { \
        CXL_UNIT(12, 0x48, 0x90, 1000, 0x20000000) } }, \
    { .type = &ucore_disc_cxldp, .unit = { \
        CXL_UNIT(13, 0x28, 0x50, 1000, 0x28000000) } }

/* sites of unknown type numbers, by access */
extern const UcoreBoxSite ucore_disc_unknown[];

/* --------------------------------------------------------------- platform */

#define DISC_COMMON \
    .discovery = true, .unknown = ucore_disc_unknown, \
    .msrs = { { 0x2000, 0x3fff } }, .msr_global_ctl = 0x2ff0, \
    .frz_all = 0x1, .frz_readable = true, \
    .box_rst_ctrl = BOX_RESET_CONTROLS, \
    .box_rst_ctrs = BOX_RESET_COUNTERS, .box_frz = BOX_FREEZE, \
    .box_readable = BOX_FREEZE, \
    .box_legal = BOX_FREEZE | BOX_RESET_CONTROLS | BOX_RESET_COUNTERS, \
    .ctl_en = EVENT_SELECT, .fixed_en = FIXED_ENABLE, \
    .ctl_ev_sel = EVENT_SELECT, .ctl_umask = UNIT_MASK, \
    .ctl_edge = EDGE_DETECT, \
    .map_cpunodeid = 0xc0, .map_gidnidmap = 0xd4

#endif
