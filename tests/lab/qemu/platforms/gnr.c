/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Granite Rapids, Sierra Forest, Grand Ridge, Clearwater Forest: units of the
 * table and their places.
 */
#include "discovery.h"

static const UcoreBoxType cha = { CHA_TYPE(0) };

TRAITS(b2hot, CLOCK(2050000000));
TRAITS(b2cmi, CLOCK(2150000000));
TRAITS(b2cxl, CLOCK(1650000000));
TRAITS(b2upi, CLOCK(1950000000));
TRAITS(pciex16, CLOCK(1350000000));
TRAITS(pciex8, CLOCK(1450000000));

static const UcoreBoxType b2hot = {
    TYPE("b2hot", 15, 4, b2hot_traits), NARROW(4)
};
static const UcoreBoxType b2cmi = {
    TYPE("b2cmi", 16, 4, b2cmi_traits), EXTENDED(4)
};
static const UcoreBoxType b2cxl = {
    TYPE("b2cxl", 17, 4, b2cxl_traits), EXTENDED(4)
};
static const UcoreBoxType b2upi = {
    TYPE("b2upi", 18, 4, b2upi_traits), EXTENDED(4)
};
static const UcoreBoxType mdf = {
    TYPE("mdf", 20, 4, ucore_disc_mdf_traits), NARROW(4)
};
static const UcoreBoxType pciex16 = {
    TYPE("pciex16", 21, 4, pciex16_traits), EXTENDED(4)
};
static const UcoreBoxType pciex8 = {
    TYPE("pciex8", 22, 4, pciex8_traits), EXTENDED(4)
};

static const UcoreBoxSite gnr_boxes[] = {
    { .type = &cha, .unit = { MSR_UNIT(0, 0x80, 0x2000) } },
    { .type = &ucore_disc_iio, .unit = { MSR_UNIT(1, 16, 0x2900) } },
    { .type = &ucore_disc_irp, .unit = { MSR_UNIT(2, 16, 0x2a00) } },
    { .type = &ucore_disc_pcu, .unit = { MSR_UNIT(4, 1, 0x2fc0) } },
    { .type = &ucore_disc_ubox, .unit = {
        MSR_UNIT(5, 1, 0x3ff0),
        .fixed_ctl = 0xe, .fixed_ctr = 0xd } },
    { .type = &ucore_disc_imc, .unit = {
        IMC_UNIT(6, 512, 0xa2800), FIXED_IN_IMC } },
    UPI_SITES,
    CXL_SITES,
    { .type = &b2hot, .unit = { MSR_UNIT(15, 0x20, 0x3d00) } },
    { .type = &b2cmi, .unit = { PCI_UNIT(16, 0x38, 0x60, 0, 0) } },
    { .type = &b2cxl, .unit = {
        CXL_UNIT(17, 0x28, 0x50, 1000, 0x30000000) } },
    { .type = &b2upi, .unit = { PCI_UNIT(18, 0x38, 0x60, 0, 0) } },
    { .type = &mdf, .unit = { MSR_UNIT(20, 16, 0x2800) } },
    { .type = &pciex16, .unit = {
        PCI_UNIT(21, 0x38, 0x60, 0, 0) } },
    { .type = &pciex8, .unit = {
        PCI_UNIT(22, 0x38, 0x60, 0, 0) } },
    { }
};

#define GNR_LIKE \
    DISC_COMMON, .boxes = gnr_boxes, \
    .iio_free = { .clock = 0x290e, .clock_stride = 0x10, \
                  .in = 0x360e, .out = 0x2e0e, \
                  .stack_stride = 0x80, .port_stride = 0x10, \
                  .ports = 8 }

const UcorePlatform ucore_gnr = { GNR_LIKE };
const UcorePlatform ucore_srf = { GNR_LIKE };
const UcorePlatform ucore_grr = { GNR_LIKE };
const UcorePlatform ucore_cwf = { GNR_LIKE };
