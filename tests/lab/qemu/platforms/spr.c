/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sapphire Rapids and Emerald Rapids: units of the table and their places. */
#include "discovery.h"

static uint64_t cha_filter_rate(const UcoreBox *box, unsigned ctr,
                                unsigned event, unsigned umask, uint64_t rate)
{
    return box->ctr[ctr].ctl & DISC_CTL_TID_EN
           ? ucore_share(rate, 1 + box->filter[0]) : rate;
}

static const UcoreBoxType cha = {
    CHA_TYPE(DISC_CTL_TID_EN),
    .nr_filters = 1, .filter_legal = { DISC_CHA_FILTER0_TID },
    .filter_rate = cha_filter_rate,
};

TRAITS(m2pcie, CLOCK(2300000000));
TRAITS(m2m, CLOCK(2250000000));
TRAITS(m3upi, CLOCK(2100000000));
TRAITS(pcie, CLOCK(1300000000));
TRAITS(mchbm, CLOCK(1800000000),
       { .event = UCORE_EVENT_FIXED, .clock = 900000000 });

static const UcoreBoxType m2pcie = {
    TYPE("m2pcie", SPR_TYPE_M2PCIE, 4, m2pcie_traits), EXTENDED(4)
};
static const UcoreBoxType m2m = {
    TYPE("m2m", SPR_TYPE_M2M, 4, m2m_traits), EXTENDED(4)
};
static const UcoreBoxType m3upi = {
    TYPE("m3upi", SPR_TYPE_M3UPI, 4, m3upi_traits), EXTENDED(4)
};
static const UcoreBoxType pcie = {
    TYPE("pcie", SPR_TYPE_PCIE, 4, pcie_traits), EXTENDED(4)
};
static const UcoreBoxType mdf = { MDF_TYPE(SPR_TYPE_MDF) };
static const UcoreBoxType mchbm = {
    TYPE("mchbm", SPR_TYPE_MCHBM, 4, mchbm_traits), WITH_FIXED(4)
};

static const UcoreBoxSite spr_boxes[] = {
    { .type = &cha, .unit = { MSR_UNIT(SPR_TYPE_CHA, 0x80, 0x2000),
                              .filter = DISC_CHA_FILTER0 } },
    { .type = &ucore_disc_iio, .unit = { MSR_UNIT(SPR_TYPE_IIO, 14, 0x3000) } },
    { .type = &ucore_disc_irp, .unit = { MSR_UNIT(SPR_TYPE_IRP, 16, 0x3400) } },
    { .type = &m2pcie, .unit = { MSR_UNIT(SPR_TYPE_M2PCIE, 16, 0x3200) } },
    { .type = &ucore_disc_pcu, .unit = { MSR_UNIT(SPR_TYPE_PCU, 1, 0x2fc0) } },
    { .type = &ucore_disc_ubox, .unit = {
        MSR_UNIT(SPR_TYPE_UBOX, 1, 0x2fd0),
        .fixed_ctl = SPR_UBOX_FIXED_CTL, .fixed_ctr = SPR_UBOX_FIXED_CTR } },
    { .type = &ucore_disc_imc, .unit = {
        IMC_UNIT(SPR_TYPE_IMC, 512, 0xa2800), FIXED_IN_IMC } },
    { .type = &m2m, .unit = { PCI_UNIT(SPR_TYPE_M2M, 0x30, 0x50, 4, 0x438),
                              .slot = 12, .device_id = 0x324a } },
    UPI_SITES,
    { .type = &m3upi, .unit = {
        PCI_UNIT(SPR_TYPE_M3UPI, SPR_UPI_CTL_OFFSET, 0x60, SPR_NR_UPI,
                 SPR_M3UPI_BOX_CTL),
        .slot = SPR_PCI_M3UPI_SLOT0, .function = SPR_PCI_UPI_FUNCTION,
        .device_id = SPR_PCI_M3UPI } },
    { .type = &pcie, .unit = { PCI_UNIT(SPR_TYPE_PCIE, 0x38, 0x60, 0, 0) } },
    { .type = &mdf, .unit = { MSR_UNIT(SPR_TYPE_MDF, 0x70, 0x2800) } },
    CXL_SITES,
    { .type = &mchbm, .unit = { IMC_UNIT(SPR_TYPE_MCHBM, 512, 0x100a2800),
                                FIXED_IN_IMC } },
    { }
};

#define SPR_LIKE \
    DISC_COMMON, .boxes = spr_boxes, .msr_global_config = SPR_MSR_CHA_COUNT, \
    .link_peer = SPR_UPI_KTILP0, .link_status = SPR_UPI_KTIPCSTS, \
    .iio_free = { .clock = SPR_MSR_IIO_FREE_CLOCK, \
                  .clock_stride = SPR_MSR_IIO_FREE_STRIDE, \
                  .in = SPR_MSR_IIO_FREE_IN, .out = SPR_MSR_IIO_FREE_OUT, \
                  .stack_stride = SPR_MSR_IIO_FREE_STRIDE, .port_stride = 1, \
                  .ports = SPR_IIO_FREE_PORTS }

const UcorePlatform ucore_spr = { SPR_LIKE };
const UcorePlatform ucore_emr = { SPR_LIKE };
