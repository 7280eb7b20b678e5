/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sapphire Rapids and Emerald Rapids: units of the table and their places. */
#include "discovery.h"

static uint64_t cha_filter_rate(const UcoreBox *box, unsigned ctr,
                                unsigned event, unsigned umask, uint64_t rate)
{
    return box->ctr[ctr].ctl & THREAD_FILTER
           ? ucore_share(rate, 1 + box->filter[0]) : rate;
}

static const UcoreBoxType cha = {
    CHA_TYPE(THREAD_FILTER),
    .nr_filters = 1, .filter_legal = { 0x3ff },
    .filter_rate = cha_filter_rate,
};

TRAITS(m2pcie, CLOCK(2300000000));
TRAITS(m2m, CLOCK(2250000000));
TRAITS(m3upi, CLOCK(2100000000));
TRAITS(pcie, CLOCK(1300000000));
TRAITS(mchbm, CLOCK(1800000000),
       { .event = UCORE_EVENT_FIXED, .clock = 900000000 });

static const UcoreBoxType m2pcie = {
    TYPE("m2pcie", 3, 4, m2pcie_traits), EXTENDED(4)
};
static const UcoreBoxType m2m = {
    TYPE("m2m", 7, 4, m2m_traits), EXTENDED(4)
};
static const UcoreBoxType m3upi = {
    TYPE("m3upi", 9, 4, m3upi_traits), EXTENDED(4)
};
static const UcoreBoxType pcie = {
    TYPE("pcie", 10, 4, pcie_traits), EXTENDED(4)
};
static const UcoreBoxType mdf = { MDF_TYPE(11) };
static const UcoreBoxType mchbm = {
    TYPE("mchbm", 14, 4, mchbm_traits), WITH_FIXED(4)
};

static const UcoreBoxSite spr_boxes[] = {
    { .type = &cha, .unit = { MSR_UNIT(0, 0x80, 0x2000),
                              .filter = 0xe } },
    { .type = &ucore_disc_iio, .unit = { MSR_UNIT(1, 14, 0x3000) } },
    { .type = &ucore_disc_irp, .unit = { MSR_UNIT(2, 16, 0x3400) } },
    { .type = &m2pcie, .unit = { MSR_UNIT(3, 16, 0x3200) } },
    { .type = &ucore_disc_pcu, .unit = { MSR_UNIT(4, 1, 0x2fc0) } },
    { .type = &ucore_disc_ubox, .unit = {
        MSR_UNIT(5, 1, 0x2fd0),
        .fixed_ctl = 0xe, .fixed_ctr = 0xf } },
    { .type = &ucore_disc_imc, .unit = {
        IMC_UNIT(6, 512, 0xa2800), FIXED_IN_IMC } },
    { .type = &m2m, .unit = { PCI_UNIT(7, 0x30, 0x50, 4, 0x438),
                              .slot = 12, .device_id = 0x324a } },
    UPI_SITES,
    { .type = &m3upi, .unit = {
        PCI_UNIT(9, 0x38, 0x60, 4, 0xa0),
        .slot = 5, .function = 1, .device_id = 0x3246 } },
    { .type = &pcie, .unit = { PCI_UNIT(10, 0x38, 0x60, 0, 0) } },
    { .type = &mdf, .unit = { MSR_UNIT(11, 0x70, 0x2800) } },
    CXL_SITES,
    { .type = &mchbm, .unit = { IMC_UNIT(14, 512, 0x100a2800),
                                FIXED_IN_IMC } },
    { }
};

#define SPR_LIKE \
    DISC_COMMON, .boxes = spr_boxes, .msr_global_config = 0x2ffe, \
    .imc = { .controllers = 4, .channels = 2 }, \
    .link_peer = 0x94, .link_status = 0x120, \
    .iio_free = { .clock = 0x340e, .clock_stride = 0x10, \
                  .in = 0x3800, .out = 0x3808, \
                  .stack_stride = 0x10, .port_stride = 1, .ports = 8 }

const UcorePlatform ucore_spr = { SPR_LIKE };
const UcorePlatform ucore_emr = { SPR_LIKE };
