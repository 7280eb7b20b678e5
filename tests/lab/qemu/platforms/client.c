/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Client processors from Nehalem to Panther Lake: the boxes, their addresses
 * and their bits. One global control in a package; Meteor Lake has one for each
 * of two tiles. Enable (29) is a level, and "freeze on overflow" (31) a mode.
 * The memory controllers are behind MCHBAR. The second control of Panther Lake
 * is that of a discovery table, which lists some of its boxes. Nehalem has an
 * enable bit and a status bit for each counter, and no MCHBAR.
 *
 * The numbers are repeated here independently of the driver's headers, so that
 * a misread value on one side is detected.
 */
#include "e5.h"

/* ------------------------------------------------------ bits of registers */

#define THRESHOLD_6     0x3f000000  /* Alder Lake's CBO, Meteor Lake */
#define CLIENT_CTL      (EVENT_SELECT | UNIT_MASK | EDGE_DETECT | \
                         OVERFLOW_ENABLE | COUNTER_ENABLE | COMPARE_INVERT)
#define CHANNELS        0x00000f00  /* memory controller */

/* -------------------------------------------------------------- registers */

/* from control 0 of the box on; clock: from its control on */
static const UcoreReg snb_cbo_regs[] = {
    CTLS_2(0x0), CTRS_2(0x6), UCORE_REGS_END
};
static const UcoreReg icl_cbo_regs[] = {
    CTLS_2(0x0), CTRS_2(0x2), UCORE_REGS_END
};
/* from 3B0h on, where the counters are; Ice Lake: from 3B1h on */
static const UcoreReg snb_arb_regs[] = {
    CTRS_2(0x0), CTLS_2(0x2), UCORE_REGS_END
};
static const UcoreReg icl_arb_regs[] = {
    CTR(0x0, 0), CTL(0x2, 0), UCORE_REGS_END
};
static const UcoreReg clock_regs[] = {
    CTL(0x0, 0), CTR(0x1, 0), UCORE_REGS_END
};
/* Meteor Lake, from the control on */
static const UcoreReg mtl_clock_regs[] = {
    CTL(0x0, 0), CTR(0x6, 0), UCORE_REGS_END
};
/* Nehalem: counters from 3B0h, controls from 3C0h; the clock's counter first */
static const UcoreReg nhm_regs[] = {
    CTRS_4(0x0), CTR(0x4, 4), CTR(0x5, 5), CTR(0x6, 6), CTR(0x7, 7),
    CTLS_4(0x10), CTL(0x14, 4), CTL(0x15, 5), CTL(0x16, 6), CTL(0x17, 7),
    UCORE_REGS_END
};
static const UcoreReg nhm_clock_regs[] = {
    CTR(0x0, 0), CTL(0x1, 0), UCORE_REGS_END
};
#define IMC_CTL(i)      CTL(0xd0 + 4 * (i), i)
#define IMC_CTR(i)      CTR(0xe8 + 8 * (i), i)
static const UcoreReg imc_regs[] = {
    { 0xc0, UCORE_REG_TYPE_CTL }, BOX_CTL(0xc4),
    IMC_CTL(0), IMC_CTL(1), IMC_CTL(2), IMC_CTL(3), IMC_CTL(4),
    IMC_CTR(0), IMC_CTR(1), IMC_CTR(2), IMC_CTR(3), IMC_CTR(4), UCORE_REGS_END
};

/* -------------------------------------------------------------- box types */

#define CLOCK_RATE      3000000000ULL

static const UcoreEventTrait cbo_traits[] = {
    { .event = UCORE_EVENT_FIXED, .clock = CLOCK_RATE }, UCORE_TRAITS_END
};
static const UcoreEventTrait arb_traits[] = {
    { .event = UCORE_EVENT_FIXED, .clock = CLOCK_RATE },
    { .event = 0x80, .depth = 20 }, { .event = 0x83, .depth = 20 },
    { .event = 0x85, .depth = 20 }, UCORE_TRAITS_END
};
/* occupancies count on counter 0 only */
static const UcoreConstraint arb_constraints[] = {
    { 0x80, 0x80, 0x1 }, { 0x83, 0x83, 0x1 }, { 0x85, 0x85, 0x1 }, { }
};

#define CLIENT_BOX(nr_) \
    .nr_gp = nr_, .width = 44, .ov_en = OVERFLOW_ENABLE, \
    .invert = COMPARE_INVERT, .clock_event = UCORE_EVENT_FIXED, \
    .status_fixed = -1
#define CLIENT_CBO(max_, thresh_, regs_) \
    .name = "cbo", .id = 40, .nr_max = max_, CLIENT_BOX(2), \
    .ctl_legal = CLIENT_CTL | (thresh_), .thresh = thresh_, \
    .traits = cbo_traits, .regs = regs_
#define CLIENT_ARB(nr_, max_, regs_) \
    .name = "arb", .id = 41, .nr_max = max_, CLIENT_BOX(nr_), \
    .ctl_legal = CLIENT_CTL | THRESHOLD_5, .thresh = THRESHOLD_5, \
    .traits = arb_traits, .regs = regs_
#define CLIENT_CLOCK(width_) \
    .name = "clock", .id = 42, .nr_max = 1, .fixed = true, \
    .fixed_width = width_, .fixed_width_most = 48, \
    .fixed_legal = FIXED_OVERFLOW | FIXED_ENABLE, \
    .ov_en = FIXED_OVERFLOW, .status_fixed = -1, .traits = cbo_traits, \
    .regs = clock_regs

static const UcoreBoxType snb_cbo = { CLIENT_CBO(4, THRESHOLD_5, snb_cbo_regs) };
static const UcoreBoxType skl_cbo = {
    CLIENT_CBO(10, THRESHOLD_5, snb_cbo_regs)
};
static const UcoreBoxType icl_cbo = { CLIENT_CBO(8, THRESHOLD_5, icl_cbo_regs) };
static const UcoreBoxType adl_cbo = {
    CLIENT_CBO(12, THRESHOLD_6, icl_cbo_regs)
};
static const UcoreBoxType snb_arb = {
    CLIENT_ARB(2, 1, snb_arb_regs), .constraints = arb_constraints
};
static const UcoreBoxType icl_arb = { CLIENT_ARB(1, 1, icl_arb_regs) };
static const UcoreBoxType adl_arb = {
    CLIENT_ARB(2, 2, icl_cbo_regs), .constraints = arb_constraints
};
static const UcoreBoxType clock_48 = { CLIENT_CLOCK(48) };
static const UcoreBoxType clock_44 = { CLIENT_CLOCK(44) };
/* Meteor Lake: nothing reports an overflow */
#define SOC_CLOCK_RATE  2400000000ULL

static const UcoreEventTrait soc_traits[] = {
    { .event = UCORE_EVENT_FIXED, .clock = SOC_CLOCK_RATE }, UCORE_TRAITS_END
};

#define MTL_BOX(name_, id_, max_, traits_) \
    .name = name_, .id = id_, .nr_max = max_, .nr_gp = 2, .width = 48, \
    .ctl_legal = EVENT_SELECT | UNIT_MASK | EDGE_DETECT | COUNTER_ENABLE | \
                 COMPARE_INVERT | THRESHOLD_6, \
    .thresh = THRESHOLD_6, .invert = COMPARE_INVERT, \
    .clock_event = UCORE_EVENT_FIXED, .status_fixed = -1, \
    .traits = traits_, .regs = snb_cbo_regs
#define MTL_CLOCK(name_, id_, max_, traits_) \
    .name = name_, .id = id_, .nr_max = max_, .fixed = true, .fixed_width = 48, \
    .fixed_width_most = 48, .fixed_legal = FIXED_ENABLE, .status_fixed = -1, \
    .traits = traits_, .regs = mtl_clock_regs

static const UcoreBoxType mtl_cbo = { MTL_BOX("cbo", 40, 12, cbo_traits) };
static const UcoreBoxType mtl_arb = {
    MTL_BOX("arb", 41, 2, arb_traits), .constraints = arb_constraints
};
static const UcoreBoxType mtl_cncu = { MTL_CLOCK("clock", 42, 1, cbo_traits) };
static const UcoreBoxType hac_arb = { MTL_BOX("hac_arb", 44, 2, soc_traits) };
static const UcoreBoxType hac_cbo = { MTL_BOX("hac_cbo", 45, 2, soc_traits) };
static const UcoreBoxType mtl_sncu = { MTL_CLOCK("sncu", 46, 1, soc_traits) };
/* Nehalem: 17 empties the queue whose occupancy is counted, and reads 0 */
#define OCCUPANCY_RESET 0x00020000
#define NHM_FIXED_EN    0x1
#define NHM_FIXED_PMI   0x4

static const UcoreBoxType nhm_uncore = {
    .name = "uncore", .id = 50, .nr_max = 1, .nr_gp = 8, .width = 48,
    .ctl_legal = CLIENT_CTL | OCCUPANCY_RESET | THRESHOLD,
    .ctl_wo = OCCUPANCY_RESET, .thresh = THRESHOLD, .invert = COMPARE_INVERT,
    .ov_en = OVERFLOW_ENABLE, .clock_event = UCORE_EVENT_FIXED,
    .status_fixed = -1, .traits = cbo_traits, .regs = nhm_regs,
};
static const UcoreBoxType nhm_clock = {
    .name = "clock", .id = 42, .nr_max = 1, .fixed = true, .fixed_width = 48,
    .fixed_width_most = 48, .fixed_legal = NHM_FIXED_EN | NHM_FIXED_PMI,
    .ov_en = NHM_FIXED_PMI, .status_fixed = -1, .traits = cbo_traits,
    .regs = nhm_clock_regs,
};
static const UcoreEventTrait imc_traits[] = {
    { .event = 0x01, .clock = 1600000000 }, UCORE_TRAITS_END
};
/* no enable: an event select other than 0 counts, whatever the global is */
static const UcoreBoxType imc = {
    .name = "imc", .id = 43, .nr_gp = 5, .nr_max = 2, .width = 64,
    .ctl_legal = EVENT_SELECT | CHANNELS | EDGE_DETECT,
    .ctl_en = EVENT_SELECT, .box_ctl = true, .apart = true,
    .status_fixed = -1, .traits = imc_traits, .regs = imc_regs,
};

/* Panther Lake: no source has an event of these boxes, but for imc */
static const UcoreBoxType ptl_santa = { MTL_BOX("santa", 47, 2, cbo_traits) };
static const UcoreBoxType ptl_bridge = {
    MTL_BOX("ia_core_bridge", 48, 1, cbo_traits)
};
static const UcoreBoxType ptl_clock = { MTL_CLOCK("clock", 42, 2, cbo_traits) };
/* units of the table; only the freeze of a box control is certain */
#define PTL_UNIT(name_, id_, nr_, clock_, traits_) \
    .name = name_, .id = id_, .nr_gp = nr_, .nr_max = 2, .width = 48, \
    .ctl_legal = EVENT_SELECT | UNIT_MASK | EDGE_DETECT | COMPARE_INVERT | \
                 THRESHOLD, \
    .ctl_en = EVENT_SELECT, .thresh = THRESHOLD, .invert = COMPARE_INVERT, \
    .clock_event = clock_, .box_ctl = true, .status_fixed = -1, \
    .traits = traits_
static const UcoreBoxType ptl_imc = { PTL_UNIT("imc", 43, 5, 1, imc_traits) };
static const UcoreBoxType ptl_sncu = {
    PTL_UNIT("sncu", 46, 2, UCORE_EVENT_FIXED, soc_traits)
};
static const UcoreBoxType ptl_hbo = {
    PTL_UNIT("hbo", 49, 4, UCORE_EVENT_FIXED, soc_traits)
};

/* ------------------------------------------------------ where the boxes are */

/* all boxes of a type share a bit of the status */
#define OF_TYPE(bit) \
    .global_bit0 = -1, NO_FIXED_BIT, \
    .global_bit = { bit, bit, bit, bit, bit, bit, bit, bit, bit, bit, bit, bit }
#define CLOCK_BIT   0
#define ARB_BIT     1
#define CBO_BIT     3

/* Nehalem: a bit for each counter */
static const UcoreBoxSite nhm_boxes[] = {
    { .type = &nhm_uncore, .msr = 0x3b0, .bit_per_counter = true,
      OF_TYPE(0) },
    { .type = &nhm_clock, .msr = 0x394, .bit_per_counter = true,
      OF_TYPE(32) }, { }
};
static const UcoreBoxSite snb_boxes[] = {
    { .type = &snb_cbo, .msr = 0x700, .msr_stride = 0x10, OF_TYPE(CBO_BIT) },
    { .type = &snb_arb, .msr = 0x3b0, OF_TYPE(ARB_BIT) },
    { .type = &clock_48, .msr = 0x394, OF_TYPE(CLOCK_BIT) }, { }
};
/* 770h is IA32_PM_ENABLE */
static const uint16_t skl_cbos[] = {
    0x700, 0x710, 0x720, 0x730, 0x740, 0x750, 0x760, 0xf70, 0xf80, 0xf90
};
static const UcoreBoxSite skl_boxes[] = {
    { .type = &skl_cbo, .msrs = skl_cbos, OF_TYPE(CBO_BIT) },
    { .type = &snb_arb, .msr = 0x3b0, OF_TYPE(ARB_BIT) },
    { .type = &clock_44, .msr = 0x394, OF_TYPE(CLOCK_BIT) }, { }
};
static const UcoreBoxSite icl_boxes[] = {
    { .type = &icl_cbo, .msr = 0x700, .msr_stride = 0x8, OF_TYPE(CBO_BIT) },
    { .type = &icl_arb, .msr = 0x3b1, OF_TYPE(ARB_BIT) },
    { .type = &clock_48, .msr = 0x394, OF_TYPE(CLOCK_BIT) }, { }
};
static const UcoreBoxSite tgl_boxes[] = {
    { .type = &icl_cbo, .msr = 0x700, .msr_stride = 0x8, OF_TYPE(CBO_BIT) },
    { .type = &snb_arb, .msr = 0x3b0, OF_TYPE(ARB_BIT) },
    { .type = &clock_48, .msr = 0x394, OF_TYPE(CLOCK_BIT) }, { }
};
static const UcoreBoxSite adl_boxes[] = {
    { .type = &adl_cbo, .msr = 0x2000, .msr_stride = 0x8, OF_TYPE(CBO_BIT) },
    { .type = &adl_arb, .msr = 0x2fd0, .msr_stride = 0x8, OF_TYPE(ARB_BIT) },
    { .type = &clock_44, .msr = 0x2fde, OF_TYPE(CLOCK_BIT) },
    { .type = &imc, .in_memory = true, OF_TYPE(-1) }, { }
};
/* tile 0: cores, 240Eh; tile 1: SoC, 200Eh; no status */
static const UcoreBoxSite mtl_boxes[] = {
    { .type = &mtl_cbo, .msr = 0x2442, .msr_stride = 0x10, OF_TYPE(-1) },
    { .type = &mtl_arb, .msr = 0x2412, .msr_stride = 0x10, OF_TYPE(-1) },
    { .type = &mtl_cncu, .msr = 0x2402, OF_TYPE(-1) },
    { .type = &hac_arb, .msr = 0x2012, .msr_stride = 0x10, .tile = 1,
      OF_TYPE(-1) },
    { .type = &hac_cbo, .msr = 0x2042, .msr_stride = 0x10, .tile = 1,
      OF_TYPE(-1) },
    { .type = &mtl_sncu, .msr = 0x2002, .tile = 1, OF_TYPE(-1) },
    { .type = &imc, .in_memory = true, OF_TYPE(-1) }, { }
};
static const UcoreBoxSite lnl_boxes[] = {
    { .type = &mtl_cbo, .msr = 0x2442, .msr_stride = 0x10, OF_TYPE(-1) },
    { .type = &mtl_arb, .msr = 0x2412, .msr_stride = 0x10, OF_TYPE(-1) },
    { .type = &imc, .in_memory = true, OF_TYPE(-1) }, { }
};
/*
 * tile 0: 240Eh; tile 1: the boxes of the table, with type numbers of Linux;
 * tile 2: the second clock, 254Eh
 */
#define PTL_SITE(number_, base_, stride_, ctl_, ctr_, status_) \
    .tile = 1, OF_TYPE(-1), .unit = { \
        .number = number_, .access = UCORE_ACCESS_MMIO, .nr = 2, \
        .base = base_, .stride = stride_, .ctl = ctl_, .ctl_stride = 4, \
        .ctr = ctr_, .status = status_, .pointed = true }
static const UcoreBoxSite ptl_boxes[] = {
    { .type = &mtl_cbo, .msr = 0x2442, .msr_stride = 0x10, OF_TYPE(-1) },
    { .type = &ptl_santa, .msr = 0x2412, .msr_stride = 0x10, OF_TYPE(-1) },
    { .type = &ptl_clock, .msr = 0x2402, .msr_stride = 0x140, .second_tile = 2,
      OF_TYPE(-1) },
    { .type = &ptl_bridge, .msr = 0x2022, OF_TYPE(-1) },
    { .type = &ptl_imc, PTL_SITE(6, 0x260c4, 0x800, 0xc, 0x24, 0x4) },
    { .type = &ptl_sncu, PTL_SITE(34, 0x2b380, 0x1000, 0x20, 0x10, 0x8) },
    { .type = &ptl_hbo, PTL_SITE(41, 0x24548, 0x1000, 0x8, 0x28, 0x60) },
    { }
};

static const UcorePciSite no_pci[] = { { } };

/* --------------------------------------------------------------- platforms */

#define CLIENT(ctl, status) \
    .msr_global_status = status, .wk_on_pmi = 0x40000000, \
    .frz_on_ov = 0x80000000, .global_status_legal = 0xb, \
    .msr_global_config = 0x396, CLIENT_BITS(ctl)
#define CLIENT_BITS(ctl) \
    .box_rst_ctrl = 0x2, .box_rst_ctrs = 0x4, .box_legal = 0x7, \
    CLIENT_LEVEL(ctl)
#define CLIENT_LEVEL(ctl) \
    .msr_global_ctl = ctl, .run_en = 0x20000000, \
    .box_frz = 0x1, .box_readable = 0x1, \
    .ctl_en = COUNTER_ENABLE, .fixed_en = FIXED_ENABLE, \
    .ctl_ev_sel = EVENT_SELECT, .ctl_umask = UNIT_MASK, \
    .ctl_edge = EDGE_DETECT, .pci = no_pci
/* counters of 32 bits; cores, graphics and devices share the traffic */
#define MCHBAR_32 \
    .mchbar = { \
        { 0x5050, 32, UCORE_FREE_MC_READ }, { 0x5054, 32, UCORE_FREE_MC_WRITE }, \
        { 0x5040, 32, UCORE_FREE_GT }, { 0x5044, 32, UCORE_FREE_IA }, \
        { 0x5048, 32, UCORE_FREE_IO }, \
    }, .mchbar_controllers = 1
#define MCHBAR_64(total, read, write) \
    .mchbar = { \
        { total, 64, UCORE_FREE_MC_READ + UCORE_FREE_MC_WRITE }, \
        { read, 64, UCORE_FREE_MC_READ }, { write, 64, UCORE_FREE_MC_WRITE }, \
    }, .mchbar_controllers = 2

#define NEHALEM \
    .msr_global_ctl = 0x391, .msr_global_status = 0x392, \
    .msr_status_clear = 0x393, .status_read_only = true, \
    /* 61: a PMI was requested; 63: the status has changed */ \
    .status_extra = 0xa000000000000000, \
    .run_en = 0x1000000ff, .run_each = true, .frz_on_ov = 1ULL << 63, \
    .core_sel = 0xfULL << 48, .global_status_legal = 0xa0000001000000ff, \
    .ctl_en = COUNTER_ENABLE, .fixed_en = NHM_FIXED_EN, \
    .ctl_ev_sel = EVENT_SELECT, .ctl_umask = UNIT_MASK, \
    .ctl_edge = EDGE_DETECT, .pci = no_pci, .boxes = nhm_boxes, \
    .status_of_wraps = true, \
    .msrs = { { 0x391, 0x396 }, { 0x3b0, 0x3b7 }, { 0x3c0, 0x3c7 } }

const UcorePlatform ucore_nhm = { NEHALEM, .host_bridge = 0x3400 };
const UcorePlatform ucore_wsm = { NEHALEM, .host_bridge = 0x3406 };
const UcorePlatform ucore_snb = {
    CLIENT(0x391, 0x392), .msr_status_clear = 0x393, .core_sel = 0xf,
    .msrs = { { 0x391, 0x396 }, { 0x3b0, 0x3b3 }, { 0x700, 0x73f } },
    .count_extra = 1, .boxes = snb_boxes,
    MCHBAR_32, .host_bridge = 0x0100,
};
const UcorePlatform ucore_hsw = {
    CLIENT(0x391, 0x392), .msr_status_clear = 0x393, .core_sel = 0xf,
    .msrs = { { 0x391, 0x396 }, { 0x3b0, 0x3b3 }, { 0x700, 0x73f } },
    .count_extra = 1, .boxes = snb_boxes,
    MCHBAR_32, .host_bridge = 0x0c00,
};
const UcorePlatform ucore_skl = {
    CLIENT(0xe01, 0xe02), .core_sel = 0x1f,
    .msrs = { { 0x394, 0x396 }, { 0x3b0, 0x3b3 }, { 0x700, 0x76f },
              { 0xe01, 0xe02 }, { 0xf70, 0xf9f } },
    .count_extra = 1, .boxes = skl_boxes,
    MCHBAR_32, .host_bridge = 0x191f,
};
/* Linux never writes the global control, and counts */
const UcorePlatform ucore_icl = {
    CLIENT(0xe01, 0xe02), .core_sel = 0x1f, .run_at_reset = true,
    .msrs = { { 0x394, 0x396 }, { 0x3b0, 0x3b3 }, { 0x700, 0x73f },
              { 0xe01, 0xe02 } },
    .boxes = icl_boxes,
    MCHBAR_32, .host_bridge = 0x8a12,
};
const UcorePlatform ucore_tgl = {
    CLIENT(0xe01, 0xe02), .core_sel = 0x1f,
    .msrs = { { 0x394, 0x396 }, { 0x3b0, 0x3b3 }, { 0x700, 0x73f },
              { 0xe01, 0xe02 } },
    .boxes = tgl_boxes,
    MCHBAR_64(0x5040, 0x5058, 0x50a0), .host_bridge = 0x9a14,
};
const UcorePlatform ucore_adl = {
    CLIENT(0x2ff0, 0x2ff2), .core_sel = 0x1f,
    .msrs = { { 0x396, 0x396 }, { 0x2000, 0x207f }, { 0x2fd0, 0x2fdf },
              { 0x2ff0, 0x2ff2 } },
    .boxes = adl_boxes,
    MCHBAR_64(0xd840, 0xd858, 0xd8a0), .host_bridge = 0x4660,
    .mchbar_imc = 0xd900,
};
const UcorePlatform ucore_mtl = {
    CLIENT_BITS(0x240e), .msr_second_ctl = 0x200e, .msr_global_config = 0x396,
    .msrs = { { 0x396, 0x396 }, { 0x2000, 0x206f }, { 0x2400, 0x253f } },
    .boxes = mtl_boxes,
    MCHBAR_64(0xd840, 0xd858, 0xd8a0), .host_bridge = 0x7d01,
    .mchbar_imc = 0xd900,
};
/* 396h: nothing is known */
const UcorePlatform ucore_lnl = {
    CLIENT_BITS(0x240e),
    .msrs = { { 0x396, 0x396 }, { 0x2400, 0x253f } },
    .boxes = lnl_boxes,
    MCHBAR_64(0xd840, 0xd858, 0xd8a0), .host_bridge = 0x6400,
    .mchbar_imc = 0xd900,
};
/* the control of the table is 380h above the box control of sNCU */
const UcorePlatform ucore_ptl = {
    CLIENT_LEVEL(0x240e), .box_rst_ctrl = 0x100, .box_rst_ctrs = 0x200,
    .box_legal = 0x1, .second_ctl_at = 0x2b700, .frz_all = 0x1,
    .msr_table = 0x201e, .msr_second_ctl = 0x254e,
    .msrs = { { 0x396, 0x396 }, { 0x2010, 0x203f }, { 0x2400, 0x255f } },
    .boxes = ptl_boxes,
    MCHBAR_64(0xd840, 0xd858, 0xd8a0), .host_bridge = 0xb000,
};
