/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The box types that all generations with a discovery table have. */
#include "discovery.h"

const UcoreConstraint ucore_disc_cha_constraints[] = {
    { 0x11, 0x11, 0x1 }, { 0x36, 0x36, 0x1 }, { }
};
const UcoreEventTrait ucore_disc_cha_traits[] = {
    CLOCK(2400000000), { .event = 0x36, .depth = 20 }, UCORE_TRAITS_END
};
const UcoreEventTrait ucore_disc_mdf_traits[] = {
    CLOCK(2350000000), UCORE_TRAITS_END
};

static const UcoreConstraint iio_constraints[] = {
    { 0x02, 0x03, 0x3 }, { 0x83, 0x83, 0x3 }, { 0x88, 0x88, 0xc },
    { 0xc0, 0xc0, 0xc }, { 0xc5, 0xc5, 0xc }, { 0xd5, 0xd5, 0xc }, { }
};

TRAITS(iio, CLOCK(1100000000));
TRAITS(irp, CLOCK(1200000000));
TRAITS(pcu, CLOCK(1000000000));
TRAITS(ubox, { .event = UCORE_EVENT_FIXED, .clock = 2500000000 });
TRAITS(imc, CLOCK(2000000000),
       { .event = UCORE_EVENT_FIXED, .clock = 1000000000 },
       { .event = 0x80, .depth = 22 }, { .event = 0x81, .depth = 22 },
       { .event = 0x82, .depth = 32 }, { .event = 0x83, .depth = 32 });
TRAITS(upi, CLOCK(1900000000));
TRAITS(cxlcm, CLOCK(1600000000));
TRAITS(cxldp, CLOCK(1700000000));
TRAITS(unknown, CLOCK(1500000000));

const UcoreBoxType ucore_disc_iio = {
    TYPE("iio", 1, 4, iio_traits),
    .ctl_legal = CTL_LEGAL | IIO_THRESHOLD | IIO_CHANNELS | IIO_CLASSES,
    .thresh = IIO_THRESHOLD, .umask_ext = IIO_CHANNELS | IIO_CLASSES,
    .status_legal = GENMASK(3, 0), .constraints = iio_constraints,
};
const UcoreBoxType ucore_disc_irp = {
    TYPE("irp", 2, 2, irp_traits), EXTENDED(2)
};
const UcoreBoxType ucore_disc_pcu = {
    TYPE("pcu", 4, 4, pcu_traits), NARROW(4)
};
const UcoreBoxType ucore_disc_ubox = {
    TYPE("ubox", 5, 2, ubox_traits), WITH_FIXED(2)
};
const UcoreBoxType ucore_disc_imc = {
    TYPE("imc", 6, 4, imc_traits), WITH_FIXED(4)
};
const UcoreBoxType ucore_disc_upi = {
    TYPE("upi", 8, 4, upi_traits), EXTENDED(4)
};
const UcoreBoxType ucore_disc_cxlcm = {
    TYPE("cxlcm", 12, 8, cxlcm_traits), EXTENDED(8)
};
const UcoreBoxType ucore_disc_cxldp = {
    TYPE("cxldp", 13, 4, cxldp_traits), EXTENDED(4)
};

/* name, number, counters, width and the control's upper half: unit.c */
static const UcoreBoxType unknown = {
    TYPE("unknown", 0, 4, unknown_traits),
    .ctl_legal = CTL_LEGAL, .status_legal = GENMASK(3, 0),
};

const UcoreBoxSite ucore_disc_unknown[] = {
    { .type = &unknown, .unit = { MSR_UNIT(0, 0, 0) } },
    { .type = &unknown, .unit = { IMC_UNIT(0, 0, 0) } },
    { .type = &unknown, .unit = { PCI_UNIT(0, 0x38, 0x60, 0, 0) } },
};
