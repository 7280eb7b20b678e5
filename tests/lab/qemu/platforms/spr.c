/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sapphire Rapids and later: the boxes that a discovery table may list, where
 * they are, which bits they have.
 *
 * Offsets, fields and ids come from driver/hw/discovery.h.  What the reference
 * leaves open is decided here and told in README.md, "Discovery platforms".
 */
#include "../model.h"
#include "../driver-hw/discovery.h"

#define TRAITS_END      { .event = UINT16_MAX }
#define CLOCK(rate)     { .event = 1, .clock = rate }

/* RST of a fixed control, as on the generations before */
#define FIXED_CTL_RST   BIT_ULL(19)

#define CTL_LEGAL       (DISC_CTL_EV_SEL | DISC_CTL_UMASK | DISC_CTL_RST | \
                         DISC_CTL_EDGE_DET | DISC_CTL_OV_EN | DISC_CTL_EN | \
                         DISC_CTL_INVERT | DISC_CTL_THRESH)

/* type numbers of a table enter the rate formula above those of ivbep.c */
#define RATE_ID(number) (100 + (number))

#define TYPE(name_, number_, nr_, traits_) \
    .name = name_, .id = RATE_ID(number_), .nr_gp = nr_, .nr_max = 1000, \
    .width = 48, .fixed_width = DISC_FIXED_WIDTH, \
    .ctl_rst = DISC_CTL_RST, .ov_en = DISC_CTL_OV_EN, \
    .thresh = DISC_CTL_THRESH, .invert = DISC_CTL_INVERT, \
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

/* -------------------------------------------------------------------- CHA */

static const UcoreConstraint cha_constraints[] = {
    { 0x11, 0x11, 0x1 }, { 0x36, 0x36, 0x1 }, { }
};

static const UcoreEventTrait cha_traits[] = {
    CLOCK(2400000000), { .event = 0x36, .depth = 20 }, TRAITS_END
};

static uint64_t cha_filter_rate(const UcoreBox *box, unsigned ctr,
                                unsigned event, unsigned umask, uint64_t rate)
{
    return box->ctr[ctr].ctl & DISC_CTL_TID_EN
           ? ucore_share(rate, 1 + box->filter[0]) : rate;
}

#define CHA(extra) \
    TYPE("cha", SPR_TYPE_CHA, 4, cha_traits), \
    .ctl_legal = CTL_LEGAL | DISC_CTL_UMASK_EXT32 | (extra), \
    .umask_ext = DISC_CTL_UMASK_EXT32, .status_legal = GENMASK(3, 0), \
    .constraints = cha_constraints

static const UcoreBoxType spr_cha = {
    CHA(DISC_CTL_TID_EN),
    .nr_filters = 1, .filter_legal = { DISC_CHA_FILTER0_TID },
    .filter_rate = cha_filter_rate,
};

static const UcoreBoxType gnr_cha = { CHA(0) };

/* -------------------------------------------------------- the other types */

static const UcoreConstraint iio_constraints[] = {
    { 0x02, 0x03, 0x3 }, { 0x83, 0x83, 0x3 }, { 0x88, 0x88, 0xc },
    { 0xc0, 0xc0, 0xc }, { 0xc5, 0xc5, 0xc }, { 0xd5, 0xd5, 0xc }, { }
};

#define TRAITS(name, ...) \
    static const UcoreEventTrait name##_traits[] = { __VA_ARGS__, TRAITS_END }

TRAITS(iio, CLOCK(1100000000));
TRAITS(irp, CLOCK(1200000000));
TRAITS(m2pcie, CLOCK(2300000000));
TRAITS(pcu, CLOCK(1000000000));
TRAITS(ubox, { .event = UCORE_EVENT_FIXED, .clock = 2500000000 });
TRAITS(imc, CLOCK(2000000000),
       { .event = UCORE_EVENT_FIXED, .clock = 1000000000 },
       { .event = 0x80, .depth = 22 }, { .event = 0x81, .depth = 22 },
       { .event = 0x82, .depth = 32 }, { .event = 0x83, .depth = 32 });
TRAITS(m2m, CLOCK(2250000000));
TRAITS(upi, CLOCK(1900000000));
TRAITS(m3upi, CLOCK(2100000000));
TRAITS(pcie, CLOCK(1300000000));
TRAITS(mdf, CLOCK(2350000000));
TRAITS(cxlcm, CLOCK(1600000000));
TRAITS(cxldp, CLOCK(1700000000));
TRAITS(mchbm, CLOCK(1800000000),
       { .event = UCORE_EVENT_FIXED, .clock = 900000000 });
TRAITS(b2hot, CLOCK(2050000000));
TRAITS(b2cmi, CLOCK(2150000000));
TRAITS(b2cxl, CLOCK(1650000000));
TRAITS(b2upi, CLOCK(1950000000));
TRAITS(pciex16, CLOCK(1350000000));
TRAITS(pciex8, CLOCK(1450000000));
TRAITS(unknown, CLOCK(1500000000));

static const UcoreBoxType iio = {
    TYPE("iio", SPR_TYPE_IIO, 4, iio_traits),
    .ctl_legal = CTL_LEGAL | DISC_CTL_IIO_THRESH | DISC_CTL_IIO_CH_MASK |
                 DISC_CTL_IIO_FC_MASK,
    .thresh = DISC_CTL_IIO_THRESH,
    .umask_ext = DISC_CTL_IIO_CH_MASK | DISC_CTL_IIO_FC_MASK,
    .status_legal = GENMASK(3, 0), .constraints = iio_constraints,
};
static const UcoreBoxType irp = {
    TYPE("irp", SPR_TYPE_IRP, 2, irp_traits), EXTENDED(2)
};
static const UcoreBoxType m2pcie = {
    TYPE("m2pcie", SPR_TYPE_M2PCIE, 4, m2pcie_traits), EXTENDED(4)
};
static const UcoreBoxType pcu = {
    TYPE("pcu", SPR_TYPE_PCU, 4, pcu_traits), NARROW(4)
};
static const UcoreBoxType ubox = {
    TYPE("ubox", SPR_TYPE_UBOX, 2, ubox_traits), WITH_FIXED(2)
};
static const UcoreBoxType imc = {
    TYPE("imc", SPR_TYPE_IMC, 4, imc_traits), WITH_FIXED(4)
};
static const UcoreBoxType m2m = {
    TYPE("m2m", SPR_TYPE_M2M, 4, m2m_traits), EXTENDED(4)
};
static const UcoreBoxType upi = {
    TYPE("upi", SPR_TYPE_UPI, 4, upi_traits), EXTENDED(4)
};
static const UcoreBoxType m3upi = {
    TYPE("m3upi", SPR_TYPE_M3UPI, 4, m3upi_traits), EXTENDED(4)
};
static const UcoreBoxType pcie = {
    TYPE("pcie", SPR_TYPE_PCIE, 4, pcie_traits), EXTENDED(4)
};
static const UcoreBoxType spr_mdf = {
    TYPE("mdf", SPR_TYPE_MDF, 4, mdf_traits), EXTENDED(4)
};
static const UcoreBoxType cxlcm = {
    TYPE("cxlcm", SPR_TYPE_CXLCM, 8, cxlcm_traits), EXTENDED(8)
};
static const UcoreBoxType cxldp = {
    TYPE("cxldp", SPR_TYPE_CXLDP, 4, cxldp_traits), EXTENDED(4)
};
static const UcoreBoxType mchbm = {
    TYPE("mchbm", SPR_TYPE_MCHBM, 4, mchbm_traits), WITH_FIXED(4)
};
static const UcoreBoxType b2hot = {
    TYPE("b2hot", GNR_TYPE_B2HOT, 4, b2hot_traits), EXTENDED(4)
};
static const UcoreBoxType b2cmi = {
    TYPE("b2cmi", GNR_TYPE_B2CMI, 4, b2cmi_traits), EXTENDED(4)
};
static const UcoreBoxType b2cxl = {
    TYPE("b2cxl", GNR_TYPE_B2CXL, 4, b2cxl_traits), EXTENDED(4)
};
static const UcoreBoxType b2upi = {
    TYPE("b2upi", GNR_TYPE_B2UPI, 4, b2upi_traits), EXTENDED(4)
};
static const UcoreBoxType gnr_mdf = {
    TYPE("mdf", GNR_TYPE_MDF, 4, mdf_traits), EXTENDED(4)
};
static const UcoreBoxType pciex16 = {
    TYPE("pciex16", GNR_TYPE_PCIEX16, 4, pciex16_traits), EXTENDED(4)
};
static const UcoreBoxType pciex8 = {
    TYPE("pciex8", GNR_TYPE_PCIEX8, 4, pciex8_traits), EXTENDED(4)
};
/* name, number, counters, width and the control's upper half: unit.c */
static const UcoreBoxType unknown = {
    TYPE("unknown", 0, 4, unknown_traits),
    .ctl_legal = CTL_LEGAL, .status_legal = GENMASK(3, 0),
};

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
    { .type = &upi, .unit = { \
        PCI_UNIT(SPR_TYPE_UPI, SPR_UPI_CTL_OFFSET, 0x60, SPR_NR_UPI, \
                 SPR_UPI_BOX_CTL), \
        .slot = SPR_PCI_UPI_SLOT0, .function = SPR_PCI_UPI_FUNCTION, \
        .device_id = SPR_PCI_UPI } }
#define CXL_SITES \
    { .type = &cxlcm, .unit = { \
        CXL_UNIT(SPR_TYPE_CXLCM, 0x48, 0x90, 1000, 0x20000000) } }, \
    { .type = &cxldp, .unit = { \
        CXL_UNIT(SPR_TYPE_CXLDP, 0x28, 0x50, 1000, 0x28000000) } }

static const UcoreBoxSite spr_boxes[] = {
    { .type = &spr_cha, .unit = { MSR_UNIT(SPR_TYPE_CHA, 0x80, 0x2000),
                                  .filter = DISC_CHA_FILTER0 } },
    { .type = &iio, .unit = { MSR_UNIT(SPR_TYPE_IIO, 14, 0x3000) } },
    { .type = &irp, .unit = { MSR_UNIT(SPR_TYPE_IRP, 16, 0x3400) } },
    { .type = &m2pcie, .unit = { MSR_UNIT(SPR_TYPE_M2PCIE, 16, 0x3200) } },
    { .type = &pcu, .unit = { MSR_UNIT(SPR_TYPE_PCU, 1, 0x2fc0) } },
    { .type = &ubox, .unit = { MSR_UNIT(SPR_TYPE_UBOX, 1, 0x2fd0),
                               .fixed_ctl = SPR_UBOX_FIXED_CTL,
                               .fixed_ctr = SPR_UBOX_FIXED_CTR } },
    { .type = &imc, .unit = { IMC_UNIT(SPR_TYPE_IMC, 512, 0xa2800),
                              FIXED_IN_IMC } },
    { .type = &m2m, .unit = { PCI_UNIT(SPR_TYPE_M2M, 0x30, 0x50, 4, 0x438),
                              .slot = 12, .device_id = 0x324a } },
    UPI_SITES,
    { .type = &m3upi, .unit = {
        PCI_UNIT(SPR_TYPE_M3UPI, SPR_UPI_CTL_OFFSET, 0x60, SPR_NR_UPI,
                 SPR_M3UPI_BOX_CTL),
        .slot = SPR_PCI_M3UPI_SLOT0, .function = SPR_PCI_UPI_FUNCTION,
        .device_id = SPR_PCI_M3UPI } },
    { .type = &pcie, .unit = { PCI_UNIT(SPR_TYPE_PCIE, 0x38, 0x60, 0, 0) } },
    { .type = &spr_mdf, .unit = { MSR_UNIT(SPR_TYPE_MDF, 0x70, 0x2800) } },
    CXL_SITES,
    { .type = &mchbm, .unit = { IMC_UNIT(SPR_TYPE_MCHBM, 512, 0x100a2800),
                                FIXED_IN_IMC } },
    { }
};

static const UcoreBoxSite gnr_boxes[] = {
    { .type = &gnr_cha, .unit = { MSR_UNIT(GNR_TYPE_CHA, 0x80, 0x2000) } },
    { .type = &iio, .unit = { MSR_UNIT(GNR_TYPE_IIO, 16, 0x2900) } },
    { .type = &irp, .unit = { MSR_UNIT(GNR_TYPE_IRP, 16, 0x2a00) } },
    { .type = &pcu, .unit = { MSR_UNIT(GNR_TYPE_PCU, 1, 0x2fc0) } },
    { .type = &ubox, .unit = { MSR_UNIT(GNR_TYPE_UBOX, 1, 0x3ff0),
                               .fixed_ctl = GNR_UBOX_FIXED_CTL,
                               .fixed_ctr = GNR_UBOX_FIXED_CTR } },
    { .type = &imc, .unit = { IMC_UNIT(GNR_TYPE_IMC, 512, 0xa2800),
                              FIXED_IN_IMC } },
    UPI_SITES,
    CXL_SITES,
    { .type = &b2hot, .unit = { MSR_UNIT(GNR_TYPE_B2HOT, 16, 0x3d00) } },
    { .type = &b2cmi, .unit = { PCI_UNIT(GNR_TYPE_B2CMI, 0x38, 0x60, 0, 0) } },
    { .type = &b2cxl, .unit = {
        CXL_UNIT(GNR_TYPE_B2CXL, 0x28, 0x50, 1000, 0x30000000) } },
    { .type = &b2upi, .unit = { PCI_UNIT(GNR_TYPE_B2UPI, 0x38, 0x60, 0, 0) } },
    { .type = &gnr_mdf, .unit = { MSR_UNIT(GNR_TYPE_MDF, 16, 0x2800) } },
    { .type = &pciex16, .unit = {
        PCI_UNIT(GNR_TYPE_PCIEX16, 0x38, 0x60, 0, 0) } },
    { .type = &pciex8, .unit = {
        PCI_UNIT(GNR_TYPE_PCIEX8, 0x38, 0x60, 0, 0) } },
    { }
};

/* by access */
static const UcoreBoxSite unknown_sites[] = {
    { .type = &unknown, .unit = { MSR_UNIT(0, 0, 0) } },
    { .type = &unknown, .unit = { IMC_UNIT(0, 0, 0) } },
    { .type = &unknown, .unit = { PCI_UNIT(0, 0x38, 0x60, 0, 0) } },
};

/* -------------------------------------------------------------- platforms */

#define COMMON \
    .discovery = true, .unknown = unknown_sites, \
    .msr_first = 0x2000, .msr_last = 0x3fff, .msr_global_ctl = 0x2ff0, \
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

#define SPR_LIKE \
    COMMON, .boxes = spr_boxes, .msr_global_config = SPR_MSR_CHA_COUNT, \
    .iio_free = { .clock = SPR_MSR_IIO_FREE_CLOCK, \
                  .clock_stride = SPR_MSR_IIO_FREE_STRIDE, \
                  .in = SPR_MSR_IIO_FREE_IN, .out = SPR_MSR_IIO_FREE_OUT, \
                  .stack_stride = SPR_MSR_IIO_FREE_STRIDE, .port_stride = 1, \
                  .ports = SPR_IIO_FREE_PORTS }

#define GNR_LIKE \
    COMMON, .boxes = gnr_boxes, \
    .iio_free = { .clock = 0x290e, .clock_stride = 0x10, \
                  .in = 0x360e, .out = 0x2e0e, \
                  .stack_stride = 0x80, .port_stride = 0x10, \
                  .ports = SPR_IIO_FREE_PORTS }

const UcorePlatform ucore_spr = {
    .name = "spr", .model = SPR_MODEL, .stepping = 8, SPR_LIKE,
};
const UcorePlatform ucore_emr = {
    .name = "emr", .model = EMR_MODEL, .stepping = 2, SPR_LIKE,
};
const UcorePlatform ucore_gnr = {
    .name = "gnr", .model = GNR_MODEL, .stepping = 1, GNR_LIKE,
};
const UcorePlatform ucore_srf = {
    .name = "srf", .model = SRF_MODEL, .stepping = 3, GNR_LIKE,
};
const UcorePlatform ucore_cwf = {
    .name = "cwf", .model = CWF_MODEL, .stepping = 0, GNR_LIKE,
};
