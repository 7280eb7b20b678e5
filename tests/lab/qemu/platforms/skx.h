/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Common definitions of Skylake-SP and the generations up to Snow Ridge:
 * clocks, the UBox and the PCU, the registers of an IIO stack.
 *
 * The numbers are repeated here independently of the driver's headers, so that
 * a misread value on one side is detected.
 */
#ifndef UCORE_PLATFORMS_SKX_H
#define UCORE_PLATFORMS_SKX_H

#include "hswep.h"

/* ------------------------------------------------------------------- MSRs */

#define SKX_MSR_UBOX_FIXED_CTL      0x703
#define SKX_MSR_UBOX_FIXED_CTR      0x704
#define SKX_MSR_UBOX_CTL0           0x705
#define SKX_MSR_UBOX_STATUS         0x708
#define SKX_MSR_UBOX_CTR0           0x709

#define SKX_MSR_PCU_BOX_CTL         0x710
#define SKX_MSR_PCU_CTL0            0x711
#define SKX_MSR_PCU_FILTER          0x715
#define SKX_MSR_PCU_STATUS          0x716
#define SKX_MSR_PCU_CTR0            0x717

extern const UcoreReg ucore_skx_iio_regs[];

/* --------------------------------------------------------- config space */

/* a control of two dwords */
#define WIDE_CTL(off, i)    { off, UCORE_REG_CTL, i, true }
#define WIDE_CTLS_4(off) \
    WIDE_CTL(off, 0), WIDE_CTL((off) + 8, 1), \
    WIDE_CTL((off) + 0x10, 2), WIDE_CTL((off) + 0x18, 3)
/* counters, 8 bytes each */
#define LONG_CTRS_4(off) \
    CTR(off, 0), CTR((off) + 8, 1), CTR((off) + 0x10, 2), CTR((off) + 0x18, 3)

/* -------------------------------------------------------------- box types */

#define CLOCK(event_, rate) { .event = event_, .clock = rate }
#define DEPTH(event_, most) { .event = event_, .depth = most }

extern const UcoreEventTrait ucore_skx_cha_traits[], ucore_skx_iio_traits[];
extern const UcoreEventTrait ucore_skx_irp_traits[], ucore_skx_m2m_traits[];
extern const UcoreEventTrait ucore_skx_upi_traits[], ucore_skx_m3upi_traits[];
extern const UcoreEventTrait ucore_skx_m2pcie_traits[];

/* @legal_: bits of its control in addition to the common fields */
#define SKX_PLAIN_TYPE(name_, id_, nr_, max_, clock_, legal_) \
    .name = #name_, .id = id_, .nr_gp = nr_, .nr_max = max_, \
    .width = HSWEP_WIDTH, .ctl_rst = COUNTER_RESET, .invert = COMPARE_INVERT, \
    .box_ctl = true, .clock_event = clock_, \
    .ctl_legal = HSWEP_CTL | (legal_), .traits = ucore_skx_##name_##_traits
/* ... with overflow */
#define SKX_TYPE(name_, id_, nr_, max_, clock_, legal_) \
    SKX_PLAIN_TYPE(name_, id_, nr_, max_, clock_, HSWEP_OV | (legal_)), \
    .ov_en = HSWEP_OV, .box_status = true, \
    .status_legal = GENMASK((nr_) - 1, 0)
#define THRESH8     .thresh = THRESHOLD

#define SKX_IIO_THRESH      GENMASK(35, 24)
#define SKX_IIO_MASKS       GENMASK(46, 36)     /* channels in 43:36, classes above */

extern const UcoreBoxType ucore_skx_ubox, ucore_skx_pcu;

#define SKX_SYSTEM_SITES \
    { .type = &ucore_skx_ubox, .msr = SKX_MSR_UBOX_FIXED_CTL, \
      BITS(1), .global_fixed = 0 }, \
    { .type = &ucore_skx_pcu, .msr = SKX_MSR_PCU_BOX_CTL, \
      BITS(2), NO_FIXED_BIT }

/* --------------------------------------------------------------- platform */

#define SKX_MSRS \
    .msrs = { { 0x700, 0x71f }, { 0xa40, 0xfff } }

/* @core_sel_: bits of pmi_core_sel */
#define SKX_GLOBAL(core_sel_) \
    .msr_global_ctl = 0x700, .msr_global_config = 0x702, \
    .frz_all = BIT_ULL(63), .wk_on_pmi = BIT_ULL(62), \
    .unfrz_all = BIT_ULL(61), .core_sel = GENMASK(core_sel_, 0), \
    .global_status_legal = UINT64_MAX

#define SKX_BOX_CTL \
    .box_legal = BOX_RESET_CONTROLS | BOX_RESET_COUNTERS | BOX_FREEZE | \
                 BOX_FREEZE_ENABLE | BOX_OVERFLOW_ENABLE, \
    .box_readable = BOX_FREEZE, \
    .box_frz_en_doubtful = BOX_FREEZE_ENABLE, \
    .box_ov_en_doubtful = BOX_OVERFLOW_ENABLE, \
    .map_cpunodeid = 0xc0, .map_gidnidmap = 0xd4

/* ------------------------------------------ links, in separate functions */
#define SKX_LINKS   .link_peer = 0x94, .link_status = 0x120

/* and the package in C3, C6 */
#define SKX_FREE_RUNNING \
    .free_running = { E5_FREE_RUNNING, { 0x3f8, 100000000 }, \
                      { 0x3f9, 400000000 } }

#endif
