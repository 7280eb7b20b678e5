/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Xeon E5-2600 v4 and Xeon D-1500, which is v4 with one home agent and without
 * SBOX and links: the boxes, their addresses and their bits.
 */
#include "hswep.h"

static const UcoreConstraint cbo_constraints[] = {
    { 0x09, 0x09, 0x3 }, { 0x11, 0x11, 0x1 }, { 0x36, 0x36, 0x1 },
    { 0x3e, 0x3e, 0x1 }, { }
};
/* events with the occupancy exclude counter 0, with event bit 8 and without */
static const UcoreConstraint pcu_constraints[] = {
    { 0x080, 0x0ff, 0xe }, { 0x180, 0x1ff, 0xe }, { }
};
static const UcoreConstraint r2pcie_constraints[] = {
    { 0x10, 0x11, 0x3 }, { 0x13, 0x13, 0x1 }, { 0x23, 0x23, 0x1 },
    { 0x25, 0x25, 0x1 }, { 0x26, 0x26, 0x3 }, { 0x28, 0x28, 0x3 },
    { 0x2c, 0x2d, 0x3 }, { }
};
static const UcoreConstraint r3qpi_constraints[] = {
    { 0x01, 0x01, 0x7 }, { 0x07, 0x0a, 0x7 }, { 0x0e, 0x0e, 0x7 },
    { 0x10, 0x11, 0x3 }, { 0x13, 0x13, 0x1 }, { 0x14, 0x15, 0x3 },
    { 0x1f, 0x23, 0x3 }, { 0x25, 0x26, 0x3 }, { 0x28, 0x29, 0x3 },
    { 0x2c, 0x2f, 0x3 }, { 0x33, 0x34, 0x3 }, { 0x36, 0x39, 0x3 }, { }
};

static const UcoreBoxType cbo = { HSWEP_CBO(24, cbo_constraints) };
static const UcoreBoxType ubox = { HSWEP_UBOX };
static const UcoreBoxType pcu = { HSWEP_PCU, .constraints = pcu_constraints };
static const UcoreBoxType sbox = { HSWEP_SBOX(48) };
static const UcoreBoxType ha = { HSWEP_HA(2) };
static const UcoreBoxType imc = { HSWEP_IMC(8) };
static const UcoreBoxType irp = { HSWEP_IRP };
static const UcoreBoxType qpi = { HSWEP_QPI };
static const UcoreBoxType r2pcie = { HSWEP_R2PCIE(r2pcie_constraints) };
static const UcoreBoxType r3qpi = { HSWEP_R3QPI(r3qpi_constraints, 48) };

#define ID  0x6f00

static const UcoreBoxSite bdxep_boxes[] = {
    HSWEP_MSR_SITES, HSWEP_SBOX_SITE, HSWEP_MEMORY_SITES(ha, imc),
    HSWEP_IO_SITES, HSWEP_LINK_SITES, { }
};

static const UcorePciSite bdxep_pci[] = {
    HSWEP_SYSTEM_PCI(ID), HSWEP_HOME0_PCI(ID, ha, imc), HSWEP_HOME1_PCI(ID),
    HSWEP_IO_PCI(ID), HSWEP_LINK_PCI(ID),
    FILTER_FN(10, 6, ID | 0x46, qpi, 2), { }
};

const UcorePlatform ucore_bdxep = {
    HSWEP_COMMON(0), .boxes = bdxep_boxes, .pci = bdxep_pci,
};

/* -------------------------------------------------------------------- D-1500 */

static const UcoreBoxType one_ha = { HSWEP_HA(1) };
static const UcoreBoxType one_imc = { HSWEP_IMC(4) };

static const UcoreBoxSite bdxde_boxes[] = {
    HSWEP_MSR_SITES, HSWEP_MEMORY_SITES(one_ha, one_imc), HSWEP_IO_SITES, { }
};

/* two functions of R3QPI show, though there is no link and nothing to count */
static const UcorePciSite bdxde_pci[] = {
    HSWEP_SYSTEM_PCI(ID), HSWEP_HOME0_PCI(ID, one_ha, one_imc),
    HSWEP_IO_PCI(ID),
    OTHER(11, 0, ID | 0x81), OTHER(11, 1, ID | 0x36), OTHER(11, 2, ID | 0x37),
    { }
};

const UcorePlatform ucore_bdxde = {
    HSWEP_COMMON(0), .boxes = bdxde_boxes, .pci = bdxde_pci,
};
