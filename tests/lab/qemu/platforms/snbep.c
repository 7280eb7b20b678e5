/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Xeon E5-2600 v1: the boxes, their addresses and their bits. There are no
 * global registers, no status and no overflow. A carry has no effect, and a die
 * is frozen by the controls of its boxes (box_freeze.c).
 *
 * The numbers are repeated here independently of the driver's headers, so that
 * a misread value on one side is detected.
 */
#include "e5.h"

#define WIDTH           48
#define WIDTH_RING      44      /* C-Box, UBox, R2PCIe, R3QPI */

#define CTL_LEGAL       (CTL_COMMON | COMPARE_INVERT | THRESHOLD)
#define WITH_RST        .ctl_rst = COUNTER_RESET, .invert = COMPARE_INVERT

/* ------------------------------------------------------------------ C-Box */

static const UcoreReg cbo_regs[] = {
    BOX_CTL(0x04), CTLS_4(0x10), FILTER(0x14, 0), CTRS_4(0x16), UCORE_REGS_END
};

#define FILTER_TID      GENMASK(4, 0)
#define FILTER_NID      GENMASK(17, 10)
#define FILTER_STATE    GENMASK(22, 18)
#define FILTER_OPC      GENMASK(31, 23)

static uint64_t needs(const UcoreBox *box, uint64_t field, uint64_t rate)
{
    return ucore_e5_field_rate(rate, (box->filter[0] & field) >> ctz64(field));
}

static uint64_t cbo_rate(const UcoreBox *box, unsigned ctr, unsigned event,
                         unsigned umask, uint64_t rate)
{
    if (event == CBO_COUNTER0_OCCUPANCY) {
        return ucore_e5_cbo_mirror_rate(box);
    }
    if (event == 0x34) {
        rate = needs(box, FILTER_STATE, rate);
    }
    if ((event == 0x35 || event == 0x36) && (umask & 0x01)) {
        rate = needs(box, FILTER_OPC, rate);
    }
    if (event >= 0x34 && event <= 0x37 && (umask & 0x40)) {
        rate = needs(box, FILTER_NID, rate);
    }
    if (box->ctr[ctr].ctl & THREAD_FILTER) {
        rate = ucore_share(rate, 1 + (box->filter[0] & FILTER_TID));
    }
    return rate;
}

static const UcoreBoxType cbo = {
    CBO_TYPE, .nr_max = 8, .width = WIDTH_RING, WITH_RST,
    .ctl_legal = CTL_LEGAL | THREAD_FILTER,
    .nr_filters = 1,
    .filter_legal = { FILTER_TID | FILTER_NID | FILTER_STATE | FILTER_OPC },
    .regs = cbo_regs, .constraints = ucore_e5_cbo_constraints,
    .filter_rate = cbo_rate,
};

/* ------------------------------------------------------------ UBox and PCU */

/* from the fixed control, c08h, on; no box control, no status */
static const UcoreReg ubox_regs[] = {
    CTL(0x0, 2), CTR(0x1, 2), CTLS_2(0x8), CTRS_2(0xe), UCORE_REGS_END
};

static const UcoreReg pcu_regs[] = {
    BOX_CTL(0x0), CTLS_4(0xc), FILTER(0x10, 0), CTRS_4(0x12), UCORE_REGS_END
};

static const UcoreBoxType ubox = {
    UBOX_TYPE, .nr_max = 1, .width = WIDTH_RING, .fixed_width = WIDTH, WITH_RST,
    .ctl_legal = CTL_COMMON | COMPARE_INVERT | THRESHOLD_5,
    .fixed_legal = FIXED_ENABLE,
    .regs = ubox_regs, .filter_rate = ucore_e5_ubox_rate,
};

static const UcoreBoxType pcu = {
    PCU_TYPE, .nr_max = 1, .width = WIDTH, WITH_RST,
    .ctl_legal = PCU_CTL_COMMON | COMPARE_INVERT | EVENT_BIT_8,
    .regs = pcu_regs,
};

/* -------------------------------------------------------------- PCI boxes */

/* Nothing resets HA and iMC but the fixed counter's own bit. */
#define NO_RESET \
    .ctl_legal = CTL_LEGAL & ~COUNTER_RESET, .invert = COMPARE_INVERT, \
    .box_ctl_reserved = BOX_RESET_CONTROLS | BOX_RESET_COUNTERS

static const UcoreBoxType ha = {
    HA_TYPE, .nr_max = 1, .width = WIDTH, NO_RESET,
};

static const UcoreBoxType imc = {
    IMC_TYPE, .nr_max = 4, .width = WIDTH, .fixed_width = WIDTH, NO_RESET,
    .fixed_legal = FIXED_RESET | FIXED_ENABLE,
    .fixed_rst = FIXED_RESET,
};

static const UcoreBoxType qpi = {
    QPI_TYPE, .nr_max = 2, .width = WIDTH, WITH_RST,
    .ctl_legal = CTL_LEGAL | EVENT_BIT_8,
    .nr_filters = 4, .filter_legal = { QPI_MATCH },
    .filter_regs = ucore_e5_qpi_filter_regs,
};

static const UcoreBoxType r2pcie = {
    R2PCIE_TYPE, .nr_max = 1, .width = WIDTH_RING, WITH_RST,
    .ctl_legal = CTL_LEGAL, .constraints = ucore_e5_r2pcie_constraints,
};

static const UcoreBoxType r3qpi = {
    R3QPI_TYPE, .nr_max = 2, .width = WIDTH_RING, WITH_RST,
    .ctl_legal = CTL_LEGAL, .constraints = ucore_e5_r3qpi_constraints,
};

/* --------------------------------------------------------------- platform */

#define SILENT  BITS(-1, -1, -1, -1, -1, -1, -1, -1), NO_FIXED_BIT

static const UcoreBoxSite boxes[] = {
    { .type = &cbo, .msr = 0xd00, .msr_stride = 0x20, SILENT },
    { .type = &ubox, .msr = 0xc08, SILENT },
    { .type = &pcu, .msr = 0xc24, SILENT },
    { .type = &ha, SILENT },
    { .type = &imc, SILENT },
    { .type = &qpi, SILENT },
    { .type = &r2pcie, SILENT },
    { .type = &r3qpi, SILENT },
    { }
};

static const UcorePciSite pci[] = {
    FILLER(8, 0x3c80),
    PMON(8, 2, 0x3c41, qpi, 0),
    FILTER_FN(8, 6, 0x3c86, qpi, 0),
    FILLER(9, 0x3c90),
    PMON(9, 2, 0x3c42, qpi, 1),
    FILTER_FN(9, 6, 0x3c96, qpi, 1),
    SOCKET_MAP(11, 0x3ce0),
    FILLER(14, 0x3ca0),
    PMON(14, 1, 0x3c46, ha, 0),
    PMON(16, 0, 0x3cb0, imc, 0),
    PMON(16, 1, 0x3cb1, imc, 1),
    PMON(16, 4, 0x3cb4, imc, 2),
    PMON(16, 5, 0x3cb5, imc, 3),
    FILLER(16, 0x3cb2),
    FILLER(19, 0x3ce4),
    PMON(19, 1, 0x3c43, r2pcie, 0),
    PMON(19, 5, 0x3c44, r3qpi, 0),
    PMON(19, 6, 0x3c45, r3qpi, 1),
    { }
};

/* frz does nothing without frz_en; bit 17 is no enable here but reserved */
const UcorePlatform ucore_snbep = {
    .msrs = { { 0xc00, 0xfff } },
    E5_COMMON,
    .box_frz_en = BOX_FREEZE_ENABLE,
    .box_legal = BOX_RESET_CONTROLS | BOX_RESET_COUNTERS | BOX_FREEZE |
                 BOX_FREEZE_ENABLE,
    .box_readable = BOX_FREEZE_ENABLE | BOX_FREEZE,
    .free_running = { E5_FREE_RUNNING },
    .boxes = boxes, .pci = pci,
};
