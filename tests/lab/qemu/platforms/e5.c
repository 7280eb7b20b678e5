/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Common parts of the Xeon E5-2600 generations: registers of the PCI boxes,
 * clocks, and the effect of filters on rates.
 */
#include "e5.h"

/* -------------------------------------------------- registers of PCI boxes */

const UcoreReg ucore_e5_pci_regs[] = {
    PCI_CTLS, PCI_CTRS, PCI_BOX_REGS, UCORE_REGS_END
};

const UcoreReg ucore_e5_ha_regs[] = {
    PCI_CTLS, PCI_CTRS,
    FILTER(0x40, 0), FILTER(0x44, 1), FILTER(0x48, 2),
    PCI_BOX_REGS, UCORE_REGS_END
};

const UcoreReg ucore_e5_imc_regs[] = {
    PCI_CTLS, PCI_CTRS,
    CTL(0xf0, 4), CTR(0xd0, 4),
    PCI_BOX_REGS, UCORE_REGS_END
};

const UcoreReg ucore_e5_r3qpi_regs[] = {
    PCI_CTL(0), PCI_CTL(1), PCI_CTL(2),
    PCI_CTR(0), PCI_CTR(1), PCI_CTR(2),
    PCI_BOX_REGS, UCORE_REGS_END
};

const UcoreReg ucore_e5_qpi_filter_regs[] = {
    QPI_FILTER_REGS, UCORE_REGS_END
};

/* ------------------------------------------------------------------ clocks */

#define CLOCK(event_, rate) { .event = event_, .clock = rate }
#define DEPTH(event_, most) { .event = event_, .depth = most }
#define TRAITS(name, ...) \
    const UcoreEventTrait ucore_e5_##name##_traits[] = { \
        __VA_ARGS__, UCORE_TRAITS_END \
    }

#define PCU_OCCUPANCY       0x80

TRAITS(cbo, CLOCK(0x00, 2600000000), DEPTH(0x11, 20), DEPTH(0x36, 20),
       DEPTH(CBO_COUNTER0_OCCUPANCY, 20));
TRAITS(ubox, CLOCK(UCORE_EVENT_FIXED, 2600000000));
TRAITS(pcu, CLOCK(0x00, 800000000), DEPTH(PCU_OCCUPANCY, 15));
TRAITS(ha, CLOCK(0x00, 2400000000));
TRAITS(imc, CLOCK(0x00, 933000000), CLOCK(UCORE_EVENT_FIXED, 800000000),
       DEPTH(0x80, 22), DEPTH(0x81, 32), DEPTH(0x83, 16));
TRAITS(irp, CLOCK(0x00, 2100000000));
TRAITS(qpi, CLOCK(0x14, 2000000000), DEPTH(0x0b, 128));
TRAITS(r2pcie, CLOCK(0x01, 2300000000));
TRAITS(r3qpi, CLOCK(0x01, 2200000000), DEPTH(0x13, 32));
TRAITS(sbox, CLOCK(0x00, 2500000000));

/* -------------------------------------------- counters that events may use */

const UcoreConstraint ucore_e5_cbo_constraints[] = {
    { 0x01, 0x01, 0x1 }, { 0x02, 0x02, 0x3 }, { 0x04, 0x05, 0x3 },
    { 0x07, 0x07, 0x3 }, { 0x09, 0x09, 0x3 }, { 0x11, 0x11, 0x1 },
    { 0x12, 0x13, 0x3 }, { 0x1b, 0x1e, 0xc }, { 0x1f, 0x1f, 0xe },
    { 0x21, 0x21, 0x3 }, { 0x23, 0x23, 0x3 }, { 0x31, 0x35, 0x3 },
    { 0x36, 0x36, 0x1 }, { 0x37, 0x39, 0x3 }, { 0x3b, 0x3b, 0x1 },
    { }
};
const UcoreConstraint ucore_e5_r2pcie_constraints[] = {
    { 0x10, 0x11, 0x3 }, { 0x12, 0x12, 0x1 }, { 0x23, 0x26, 0x3 },
    { 0x32, 0x34, 0x3 },
    { }
};
const UcoreConstraint ucore_e5_r3qpi_constraints[] = {
    { 0x10, 0x12, 0x3 }, { 0x13, 0x13, 0x1 }, { 0x20, 0x26, 0x3 },
    { 0x28, 0x34, 0x3 }, { 0x36, 0x39, 0x3 },
    { }
};

/* ----------------------------------------------------------------- filters */

uint64_t ucore_e5_cbo_mirror_rate(const UcoreBox *box)
{
    const UcoreCounter *first = &box->ctr[0];
    unsigned event = ucore_ctl_event(box, first->ctl);

    return first->enabled && event != CBO_COUNTER0_OCCUPANCY &&
           ucore_event_depth(box->type, event) > 1
           ? ucore_rate(box, 0) : 0;
}

uint64_t ucore_e5_field_rate(uint64_t rate, uint64_t field)
{
    return field ? ucore_share(rate, field) : 0;
}

/* Event 0 counts nothing. The driver uses it to stop a counter of the UBox. */
uint64_t ucore_e5_ubox_rate(const UcoreBox *box, unsigned ctr, unsigned event,
                            unsigned umask, uint64_t rate)
{
    return event ? rate : 0;
}

#define PCU_BAND0           0x0b
#define PCU_BAND3           0x0e

uint64_t ucore_e5_pcu_rate(const UcoreBox *box, unsigned ctr, unsigned event,
                           unsigned umask, uint64_t rate)
{
    uint32_t ctl = box->ctr[ctr].ctl;

    if (event >= PCU_BAND0 && event <= PCU_BAND3) {
        unsigned band = box->filter[0] >> (8 * (event - PCU_BAND0)) & 0xff;

        /* the higher the threshold, the fewer cycles reach it */
        return rate * (256 - band) / 256;
    }
    if (event == PCU_OCCUPANCY) {
        if (!(ctl & OCCUPANCY_OF)) {
            return 0;
        }
        if (ctl & OCCUPANCY_INVERT) {
            uint64_t clock = ucore_rate_raw(box, 0, 0);

            rate = clock - MIN(rate, clock);
        }
        if (ctl & OCCUPANCY_EDGE) {
            rate /= 8;
        }
    }
    return rate;
}

#define HA_ADDR_OPC_MATCH   0x20

uint64_t ucore_e5_ha_rate(const UcoreBox *box, unsigned ctr, unsigned event,
                          unsigned umask, uint64_t rate)
{
    uint64_t match = 0;

    if (event != HA_ADDR_OPC_MATCH) {
        return rate;
    }
    if (umask & 1) {
        match += (box->filter[0] >> 6) + (box->filter[1] << 26);
    }
    if (umask & 2) {
        match += box->filter[2];
    }
    return ucore_share(rate, match);
}

#define QPI_CTO_COUNT       0x38

uint64_t ucore_e5_qpi_rate(const UcoreBox *box, unsigned ctr, unsigned event,
                           unsigned umask, uint64_t rate)
{
    const uint64_t *match = box->filter, *mask = box->filter + 2;

    if ((event & 0xff) != QPI_CTO_COUNT || !(mask[0] | mask[1])) {
        return rate;
    }
    return ucore_share(rate, 1 + (match[0] & mask[0]) +
                             3 * (match[1] & mask[1]) +
                             5 * mask[0] + 7 * mask[1]);
}
