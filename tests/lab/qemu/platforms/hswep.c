/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Xeon E5-2600 v3: the boxes, where they are, which bits they have; and the
 * registers and filters of v4 and D-1500, too.
 */
#include "hswep.h"

/* -------------------------------------------------------------- registers */

const UcoreReg ucore_hswep_cbo_regs[] = {
    BOX_CTL(0x0), CTLS_4(0x1), FILTER(0x5, 0), FILTER(0x6, 1),
    BOX_STATUS(0x7), CTRS_4(0x8), UCORE_REGS_END
};

const UcoreReg ucore_hswep_sbox_regs[] = {
    BOX_CTL(0x0), CTLS_4(0x1), BOX_STATUS(0x5), CTRS_4(0x6), UCORE_REGS_END
};

const UcoreReg ucore_hswep_ubox_regs[] = {
    UBOX_REGS(HSWEP), FILTER(UBOX_AT(HSWEP, FILTER), 0), UCORE_REGS_END
};

const UcoreReg ucore_hswep_pcu_regs[] = { PCU_REGS(HSWEP), UCORE_REGS_END };

const UcoreReg ucore_hswep_qpi_filter_regs[] = {
    QPI_FILTER_REGS,
    FILTER(0x200, 4), FILTER(0x204, 5), FILTER(0x210, 6), FILTER(0x214, 7),
    UCORE_REGS_END
};

/* ---------------------------------------------------------------- filters */

#define CBO_LLC_LOOKUP      0x34
#define CBO_TOR_INSERTS     0x35
#define CBO_TOR_OCCUPANCY   0x36
#define UBOX_FILTER_MATCH   0x41

static uint64_t nid_rate(const UcoreBox *box, unsigned umask, uint64_t rate)
{
    return umask & 0x40
           ? ucore_e5_field_rate(rate,
                                 box->filter[1] & HSWEP_CBO_FILTER1_NID)
           : rate;
}

static uint64_t tor_rate(const UcoreBox *box, unsigned event, unsigned umask,
                         uint64_t rate)
{
    uint64_t link = (box->filter[0] & HSWEP_CBO_FILTER0_LINK) >> 6;
    uint64_t opc = (box->filter[1] & HSWEP_CBO_FILTER1_OPC) >> 20;

    if (umask & 0x01) {
        rate = ucore_e5_field_rate(rate, opc);
    }
    if (event == CBO_TOR_INSERTS && umask == 0x01 && link) {
        rate = ucore_share(rate, link);
    }
    return nid_rate(box, umask, rate);
}

uint64_t ucore_hswep_cbo_rate(const UcoreBox *box, unsigned ctr,
                              unsigned event, unsigned umask, uint64_t rate)
{
    uint64_t f0 = box->filter[0];

    switch (event) {
    case CBO_COUNTER0_OCCUPANCY:
        return ucore_e5_cbo_mirror_rate(box);
    case CBO_LLC_LOOKUP:
        rate = ucore_e5_field_rate(rate, (f0 & HSWEP_CBO_FILTER0_STATE) >> 17);
        break;
    case CBO_TOR_INSERTS:
    case CBO_TOR_OCCUPANCY:
        rate = tor_rate(box, event, umask, rate);
        break;
    case 0x28: case 0x29: case 0x2a:
    case 0x32: case 0x33: case 0x37:
        rate = nid_rate(box, umask, rate);
        break;
    }
    if (box->ctr[ctr].ctl & THREAD_FILTER) {
        rate = ucore_share(rate, 1 + (f0 & HSWEP_CBO_FILTER0_TID));
    }
    return rate;
}

uint64_t ucore_hswep_ubox_rate(const UcoreBox *box, unsigned ctr,
                               unsigned event, unsigned umask, uint64_t rate)
{
    rate = ucore_e5_ubox_rate(box, ctr, event, umask, rate);
    return event == UBOX_FILTER_MATCH ? ucore_share(rate, 1 + box->filter[0])
                                      : rate;
}

/* -------------------------------------------------------------- box types */

static const UcoreConstraint cbo_constraints[] = {
    { 0x01, 0x01, 0x1 }, { 0x09, 0x09, 0x1 }, { 0x11, 0x11, 0x1 },
    { 0x36, 0x36, 0x1 }, { 0x38, 0x38, 0x3 }, { 0x3b, 0x3b, 0x1 },
    { 0x3e, 0x3e, 0x1 }, { }
};
static const UcoreConstraint r2pcie_constraints[] = {
    { 0x10, 0x11, 0x3 }, { 0x13, 0x13, 0x1 }, { 0x23, 0x25, 0x1 },
    { 0x26, 0x26, 0x3 }, { 0x27, 0x27, 0x1 }, { 0x28, 0x29, 0x3 },
    { 0x2a, 0x2a, 0x1 }, { 0x2b, 0x2d, 0x3 }, { 0x32, 0x35, 0x3 }, { }
};
static const UcoreConstraint r3qpi_constraints[] = {
    { 0x01, 0x01, 0x3 }, { 0x07, 0x0a, 0x7 }, { 0x0e, 0x0e, 0x7 },
    { 0x10, 0x12, 0x3 }, { 0x13, 0x13, 0x1 }, { 0x14, 0x15, 0x3 },
    { 0x1f, 0x23, 0x3 }, { 0x25, 0x26, 0x3 }, { 0x28, 0x29, 0x3 },
    { 0x2c, 0x2f, 0x3 }, { 0x31, 0x34, 0x3 }, { 0x36, 0x39, 0x3 }, { }
};

static const UcoreBoxType cbo = { HSWEP_CBO(18, cbo_constraints) };
static const UcoreBoxType ubox = { HSWEP_UBOX };
static const UcoreBoxType pcu = { HSWEP_PCU };
static const UcoreBoxType sbox = { HSWEP_SBOX(44) };
static const UcoreBoxType ha = { HSWEP_HA(2) };
static const UcoreBoxType imc = { HSWEP_IMC(8) };
static const UcoreBoxType irp = { HSWEP_IRP };
static const UcoreBoxType qpi = { HSWEP_QPI };
static const UcoreBoxType r2pcie = { HSWEP_R2PCIE(r2pcie_constraints) };
static const UcoreBoxType r3qpi = { HSWEP_R3QPI(r3qpi_constraints, 44) };

/* --------------------------------------------------------------- platform */

static const UcoreBoxSite boxes[] = {
    HSWEP_MSR_SITES, HSWEP_SBOX_SITE, HSWEP_MEMORY_SITES(ha, imc),
    HSWEP_IO_SITES, HSWEP_LINK_SITES, { }
};

#define ID  0x2f00

/* the third QPI port has no filter function here */
static const UcorePciSite pci[] = {
    HSWEP_SYSTEM_PCI(ID), HSWEP_HOME0_PCI(ID, ha, imc), HSWEP_HOME1_PCI(ID),
    HSWEP_IO_PCI(ID), HSWEP_LINK_PCI(ID), { }
};

const UcorePlatform ucore_hswep = {
    HSWEP_COMMON(2), .boxes = boxes, .pci = pci,
};
