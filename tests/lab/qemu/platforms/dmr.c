/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Diamond Rapids: the contents of its two tables, found by the function of the
 * I/O hub and by an MSR of the block of cores.
 *
 * Type numbers and fields are repeated here independently of the driver. The
 * only source does not describe the access of units, and which table has which
 * of them; see README.md.
 */
#include "discovery.h"

TRAITS(imc, CLOCK(2000000000),
       { .event = UCORE_EVENT_FIXED, .clock = 1000000000 },
       { .event = 0x80, .depth = 22 }, { .event = 0x81, .depth = 22 },
       { .event = 0x82, .depth = 32 }, { .event = 0x83, .depth = 32 });
TRAITS(cxlcm, CLOCK(1600000000));
TRAITS(sca, CLOCK(2010000000));
TRAITS(hamvf, CLOCK(2020000000));
TRAITS(cbo, CLOCK(2030000000));
TRAITS(santa, CLOCK(2040000000));
TRAITS(cncu, CLOCK(2060000000));
TRAITS(sncu, CLOCK(2070000000));
TRAITS(ula, CLOCK(2080000000));
TRAITS(dda, CLOCK(2090000000));
TRAITS(sbo, CLOCK(2110000000));
TRAITS(ubr, CLOCK(2120000000));
TRAITS(crs, CLOCK(2130000000));
TRAITS(cpc, CLOCK(2140000000));
TRAITS(itc, CLOCK(2160000000));
TRAITS(otc, CLOCK(2170000000));
TRAITS(cms, CLOCK(2180000000));
TRAITS(pcie4, CLOCK(1310000000));
TRAITS(pcie6, CLOCK(1320000000));

/* below bit 21 all are alike */
#define LOW_LEGAL   (EVENT_SELECT | UNIT_MASK | COUNTER_RESET | EDGE_DETECT | \
                     OVERFLOW_ENABLE)
#define WIDE \
    .ctl_legal = CTL_LEGAL | GENMASK(63, 32), .umask_ext = GENMASK(63, 32), \
    .status_legal = GENMASK(3, 0)
#define PCIE \
    .ctl_legal = CTL_LEGAL | GENMASK(55, 32), .umask_ext = GENMASK(55, 36), \
    .status_legal = GENMASK(3, 0)

#define FOUR(name, number, ...) \
    static const UcoreBoxType name = { \
        TYPE(#name, number, 4, name##_traits), __VA_ARGS__ \
    }

FOUR(sca, 23, WIDE);
FOUR(hamvf, 30, WIDE);
FOUR(ula, 35, WIDE);
FOUR(dda, 36, WIDE);
FOUR(ubr, 43, WIDE);
FOUR(cpc, 47, WIDE);
FOUR(itc, 48, WIDE);
FOUR(otc, 49, WIDE);
FOUR(santa, 32, NARROW(4));
FOUR(cncu, 33, NARROW(4));
FOUR(sncu, 34, NARROW(4));
FOUR(crs, 46, NARROW(4));
FOUR(cms, 50, NARROW(4));

static const UcoreConstraint cbo_constraints[] = {
    { 0x11, 0x11, 0x1 }, { 0x19, 0x1a, 0x1 }, { 0x1f, 0x1f, 0x1 },
    { 0x21, 0x21, 0x1 }, { 0x25, 0x25, 0x1 }, { 0x36, 0x36, 0x1 }, { }
};
static const UcoreConstraint sbo_constraints[] = {
    { 0x1f, 0x1f, 0x1 }, { 0x25, 0x25, 0x1 }, { }
};
static const UcoreConstraint cxlcm_constraints[] = {
    { 0x01, 0x24, 0x0f }, { 0x41, 0x41, 0xf0 }, { 0x50, 0x5e, 0xf0 },
    { 0x60, 0x61, 0xf0 }, { }
};

FOUR(cbo, 31, WIDE, .constraints = cbo_constraints);
FOUR(sbo, 38, WIDE, .constraints = sbo_constraints);

static const UcoreBoxType pcie4 = {
    TYPE("pcie4", 45, 4, pcie4_traits), PCIE, .thresh = GENMASK(35, 24)
};
static const UcoreBoxType pcie6 = {
    TYPE("pcie6", 51, 4, pcie6_traits), PCIE, .thresh = GENMASK(35, 24)
};

/* the threshold's bit 32 is out of reach: controls have 32 bits here */
static const UcoreBoxType imc = {
    TYPE("imc", 6, 4, imc_traits),
    .ctl_legal = LOW_LEGAL | IGNORED_BIT_22 | GENMASK(31, 23),
    .thresh = GENMASK(31, 23), .invert = 0,
    .status_legal = GENMASK(4, 0), .fixed = true,
    .fixed_legal = FIXED_RESET | FIXED_OVERFLOW | FIXED_ENABLE,
    .fixed_rst = FIXED_RESET,
};

static const UcoreBoxType cxlcm = {
    TYPE("cxlcm", 24, 8, cxlcm_traits),
    .ctl_legal = LOW_LEGAL | BIT(21) | GENMASK(35, 23),
    .thresh = GENMASK(31, 23), .invert = BIT(21), .umask_ext = GENMASK(35, 32),
    .status_legal = GENMASK(7, 0), .constraints = cxlcm_constraints,
};

/* in memory, of 64 bits */
#define WIDE_UNIT(number, base) CXL_UNIT(number, 0x28, 0x50, 64, base)

static const UcoreBoxSite dmr_boxes[] = {
    { .type = &cbo, .unit = { MSR_UNIT(31, 0x80, 0x2000), .pointed = true } },
    { .type = &ucore_disc_pcu, .unit = { MSR_UNIT(4, 1, 0x2fc0) } },
    { .type = &ucore_disc_ubox, .unit = {
        MSR_UNIT(5, 1, 0x3ff0), .fixed_ctl = 0xe, .fixed_ctr = 0xd } },
    { .type = &imc, .unit = {
        .number = 6, .access = UCORE_ACCESS_MMIO, .nr = 64, .base = 0xa2800,
        .stride = 0x8000, .pair_stride = 0x80000, .ctl = 0x40,
        .ctl_stride = 4, .ctr = 0x20, .status = 0x50,
        .fixed_ctl = 0x10, .fixed_ctr = 0x18 } },
    { .type = &sca, .unit = { WIDE_UNIT(23, 0x30000000) } },
    { .type = &cxlcm, .unit = { CXL_UNIT(24, 0x48, 0x90, 64, 0x20000000) } },
    { .type = &hamvf, .unit = { WIDE_UNIT(30, 0x31000000) } },
    { .type = &santa, .unit = { WIDE_UNIT(32, 0x32000000), .pointed = true } },
    { .type = &cncu, .unit = { WIDE_UNIT(33, 0x33000000), .pointed = true } },
    { .type = &sncu, .unit = { WIDE_UNIT(34, 0x34000000), .pointed = true } },
    { .type = &ula, .unit = { MSR_UNIT(35, 0, 0) } },
    { .type = &dda, .unit = { MSR_UNIT(36, 0, 0) } },
    { .type = &sbo, .unit = { WIDE_UNIT(38, 0x35000000), .pointed = true } },
    { .type = &ubr, .unit = { MSR_UNIT(43, 0, 0) } },
    { .type = &pcie4, .unit = { PCI_UNIT(45, 0x38, 0x60, 0, 0) } },
    { .type = &crs, .unit = { MSR_UNIT(46, 0, 0) } },
    { .type = &cpc, .unit = { MSR_UNIT(47, 0, 0) } },
    { .type = &itc, .unit = { MSR_UNIT(48, 0, 0) } },
    { .type = &otc, .unit = { MSR_UNIT(49, 0, 0) } },
    { .type = &cms, .unit = { MSR_UNIT(50, 0, 0) } },
    { .type = &pcie6, .unit = { PCI_UNIT(51, 0x38, 0x60, 0, 0) } },
    { }
};

const UcorePlatform ucore_dmr = {
    DISC_COMMON, .boxes = dmr_boxes, .table_device = 0x09a1, .msr_table = 0x710,
};
