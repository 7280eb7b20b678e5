/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Common definitions of the generations with a discovery table.
 *
 * The file of a platform lists the types that a table may contain, with their
 * addresses. Offsets, fields and numbers come from driver/hw/discovery.h.
 * Choices where the public sources are silent are documented in README.md,
 * "Discovery platforms".
 */
#ifndef UCORE_PLATFORMS_DISCOVERY_H
#define UCORE_PLATFORMS_DISCOVERY_H

#include "../model.h"
#include "../driver-hw/discovery.h"
#include "../lab_pmi.h"

/* -------------------------------------------------------------- box types */

/* RST of a fixed control, as on the generations before */
#define FIXED_CTL_RST   BIT_ULL(19)

#define CTL_LEGAL       (DISC_CTL_EV_SEL | DISC_CTL_UMASK | DISC_CTL_RST | \
                         DISC_CTL_EDGE_DET | DISC_CTL_OV_EN | DISC_CTL_EN | \
                         DISC_CTL_INVERT | DISC_CTL_THRESH)

/* In the rate formula the types of a table have numbers above those of e5.h. */
#define RATE_ID(number) (100 + (number))

#define TYPE(name_, number_, nr_, traits_) \
    .name = name_, .id = RATE_ID(number_), .nr_gp = nr_, .nr_max = 1000, \
    .width = 48, .fixed_width = DISC_FIXED_WIDTH, \
    .ctl_rst = DISC_CTL_RST, .ov_en = DISC_CTL_OV_EN, \
    .thresh = DISC_CTL_THRESH, .invert = DISC_CTL_INVERT, .clock_event = 1, \
    .box_ctl = true, .box_status = true, \
    .status_fixed = nr_, .traits = traits_

/* controls of 32 bits, and of 64 with an extended umask */
#define NARROW(nr_) \
    .ctl_legal = CTL_LEGAL, .status_legal = GENMASK((nr_) - 1, 0)
#define EXTENDED(nr_) \
    .ctl_legal = CTL_LEGAL | DISC_CTL_UMASK_EXT, \
    .umask_ext = DISC_CTL_UMASK_EXT, .status_legal = GENMASK((nr_) - 1, 0)
#define WITH_FIXED(nr_) \
    .ctl_legal = CTL_LEGAL, .status_legal = GENMASK(nr_, 0), .fixed = true, \
    .fixed_legal = FIXED_CTL_RST | DISC_CTL_OV_EN | DISC_FIXED_CTL_EN, \
    .fixed_rst = FIXED_CTL_RST
/* @extra: further bits of the platform's control */
#define CHA_TYPE(extra) \
    TYPE("cha", SPR_TYPE_CHA, 4, ucore_disc_cha_traits), \
    .ctl_legal = CTL_LEGAL | DISC_CTL_UMASK_EXT32 | (extra), \
    .umask_ext = DISC_CTL_UMASK_EXT32, .status_legal = GENMASK(3, 0), \
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
    .ctl = 0x40, .ctl_stride = DISC_MMIO_CTL_STRIDE, .ctr = 0x8, \
    .status = 0x5c
#define CXL_UNIT(number_, ctl_, status_, nr_, base_) \
    .number = number_, .access = UCORE_ACCESS_MMIO, .nr = nr_, \
    .base = base_, .stride = 0x10000, .pair_stride = 0x20000, \
    .ctl = ctl_, .ctl_stride = DISC_MMIO_CTL_STRIDE_CXL, .ctr = 0x8, \
    .status = status_, .wide_ctl = true
#define PCI_UNIT(number_, ctl_, status_, nr_, base_) \
    .number = number_, .access = UCORE_ACCESS_PCI, .nr = nr_, \
    .base = base_, .ctl = ctl_, .ctl_stride = DISC_PCI_CTL_STRIDE, \
    .ctr = 0x8, .status = status_, .wide_ctl = true

#define FIXED_IN_IMC    .fixed_ctl = DISC_IMC_FIXED_CTL, \
                        .fixed_ctr = DISC_IMC_FIXED_CTR

#define UPI_SITES \
    { .type = &ucore_disc_upi, .unit = { \
        PCI_UNIT(SPR_TYPE_UPI, SPR_UPI_CTL_OFFSET, 0x60, SPR_NR_UPI, \
                 SPR_UPI_BOX_CTL), \
        .slot = SPR_PCI_UPI_SLOT0, .function = SPR_PCI_UPI_FUNCTION, \
        .device_id = SPR_PCI_UPI } }
#define CXL_SITES \
    { .type = &ucore_disc_cxlcm, .unit = { \
        CXL_UNIT(SPR_TYPE_CXLCM, 0x48, 0x90, 1000, 0x20000000) } }, \
    { .type = &ucore_disc_cxldp, .unit = { \
        CXL_UNIT(SPR_TYPE_CXLDP, 0x28, 0x50, 1000, 0x28000000) } }

/* sites of unknown type numbers, by access */
extern const UcoreBoxSite ucore_disc_unknown[];

/* --------------------------------------------------------------- platform */

#define DISC_COMMON \
    .discovery = true, .unknown = ucore_disc_unknown, \
    .msrs = { { 0x2000, 0x3fff } }, .msr_global_ctl = 0x2ff0, \
    .frz_all = DISC_GLOBAL_CTL_FRZ_ALL, .frz_readable = true, \
    .private_wk_on_pmi = PRIVATE_GLOBAL_CTL_WK_ON_PMI, \
    .private_core_sel = PRIVATE_GLOBAL_CTL_PMI_CORE_SEL, \
    .box_rst_ctrl = DISC_BOX_CTL_RST_CTRL, \
    .box_rst_ctrs = DISC_BOX_CTL_RST_CTRS, .box_frz = DISC_BOX_CTL_FRZ, \
    .box_readable = DISC_BOX_CTL_FRZ, \
    .box_legal = DISC_BOX_CTL_FRZ | DISC_BOX_CTL_RST_CTRL | \
                 DISC_BOX_CTL_RST_CTRS, \
    .ctl_en = DISC_CTL_EV_SEL, .fixed_en = DISC_FIXED_CTL_EN, \
    .ctl_ev_sel = DISC_CTL_EV_SEL, .ctl_umask = DISC_CTL_UMASK, \
    .ctl_edge = DISC_CTL_EDGE_DET, \
    .map_cpunodeid = SPR_UBOX_CPUNODEID, \
    .map_gidnidmap = SPR_UBOX_GIDNIDMAP

#endif
