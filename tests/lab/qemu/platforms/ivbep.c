/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Xeon E5-2600 v2: the boxes, their addresses and their bits.
 *
 * The numbers are those of 329468-002, and of public lists of PCI functions.
 * They are repeated here independently of the driver's headers, so that a
 * misread value on one side is detected.
 */
#include "e5.h"

#define WIDTH           48
#define WIDTH_RING      44      /* C-Box, UBox, R2PCIe, R3QPI */

/* ------------------------------------------------------------------ C-Box */

static const UcoreReg cbo_regs[] = {
    BOX_CTL(0x04), CTLS_4(0x10), CTRS_4(0x16), FILTER(0x14, 0), FILTER(0x1a, 1),
    UCORE_REGS_END
};

/* first filter: the thread, the link of event 31h, the states of a lookup */
#define THREAD          0x0000001f
#define LINK            0x000001e0
#define STATES          0x007e0000
/* second filter: nodes; opcode, and above it C6, non-coherent, isochronous */
#define NODES           0x0000ffff
#define OPCODE          0x1ff00000
#define WITH_C6         0x20000000
#define NON_COHERENT    0x40000000
#define ISOCHRONOUS     0x80000000

static uint64_t cbo_tor_rate(const UcoreBox *box, unsigned umask,
                             uint64_t rate)
{
    uint64_t f1 = box->filter[1];

    if (umask & 0x01) {
        rate = ucore_e5_field_rate(rate, f1 >> 20);
    }
    if (umask & 0x40) {
        rate = ucore_e5_field_rate(rate, f1 & NODES);
    }
    return rate;
}

static uint64_t cbo_rate(const UcoreBox *box, unsigned ctr, unsigned event,
                         unsigned umask, uint64_t rate)
{
    uint64_t f0 = box->filter[0], f1 = box->filter[1];

    switch (event) {
    case CBO_COUNTER0_OCCUPANCY:
        return ucore_e5_cbo_mirror_rate(box);
    case 0x31:
        if (umask & 0x10) {
            rate = ucore_e5_field_rate(rate, (f0 & LINK) >> 5);
        }
        break;
    case 0x34:
        rate = ucore_e5_field_rate(rate, (f0 & STATES) >> 17);
        if (umask & 0x40) {
            rate = ucore_e5_field_rate(rate, f1 & NODES);
        }
        break;
    case 0x35:
    case 0x36:
        rate = cbo_tor_rate(box, umask, rate);
        break;
    case 0x37:
        if (umask & 0x40) {
            rate = ucore_e5_field_rate(rate, f1 & NODES);
        }
        break;
    }
    if (box->ctr[ctr].ctl & THREAD_FILTER) {
        rate = ucore_share(rate, 1 + (f0 & THREAD));
    }
    return rate;
}

static const UcoreBoxType cbo = {
    CBO_TYPE, .nr_max = 15, .width = WIDTH_RING,
    .ctl_legal = CTL_COMMON | THREAD_FILTER | THRESHOLD,
    .ctl_rst = COUNTER_RESET, .ov_en_doubtful = OVERFLOW_ENABLE,
    .nr_filters = 2,
    .filter_legal = {
        THREAD | LINK | STATES,
        NODES | OPCODE | WITH_C6 | NON_COHERENT | ISOCHRONOUS,
    },
    .regs = cbo_regs, .constraints = ucore_e5_cbo_constraints,
    .filter_rate = cbo_rate,
};

/* ------------------------------------------------- all boxes with overflow */

#define OVERFLOWS(nr_) \
    .ctl_rst = COUNTER_RESET, .ov_en = OVERFLOW_ENABLE, .box_status = true, \
    .status_legal = GENMASK((nr_) - 1, 0)

/* ------------------------------------------------------------ UBox and PCU */

/* from the fixed control, c08h, on; no box control */
static const UcoreReg ubox_regs[] = {
    CTLS_2(0x8), CTL(0x0, 2), CTRS_2(0xe), CTR(0x1, 2), BOX_STATUS(0xd),
    UCORE_REGS_END
};

static const UcoreReg pcu_regs[] = {
    BOX_CTL(0x0), CTLS_4(0xc), FILTER(0x10, 0), BOX_STATUS(0x11), CTRS_4(0x12),
    UCORE_REGS_END
};

static const UcoreBoxType ubox = {
    UBOX_TYPE, .nr_max = 1,
    .width = WIDTH_RING, .fixed_width = WIDTH,
    .ctl_legal = CTL_COMMON | OVERFLOW_ENABLE | THRESHOLD_5,
    .fixed_legal = FIXED_OVERFLOW | FIXED_ENABLE,
    OVERFLOWS(2),
    .regs = ubox_regs, .filter_rate = ucore_e5_ubox_rate,
};

static const UcoreBoxType pcu = {
    PCU_TYPE, .nr_max = 1, .width = WIDTH,
    .ctl_legal = PCU_CTL_COMMON | OVERFLOW_ENABLE | EVENT_BIT_8,
    OVERFLOWS(4),
    .regs = pcu_regs,
};

/* -------------------------------------------------------------- PCI boxes */

/* two IRPs of two counters each */
static const UcoreReg irp_regs[] = {
    PCI_CTLS, CTR(0xa0, 0), CTR(0xb0, 1), CTR(0xb8, 2), CTR(0xc0, 3),
    PCI_BOX_REGS, UCORE_REGS_END
};

#define PCI_CTL_LEGAL   (CTL_COMMON | OVERFLOW_ENABLE | THRESHOLD)

static const UcoreBoxType ha = {
    HA_TYPE, .nr_max = 2, .width = WIDTH,
    .ctl_legal = PCI_CTL_LEGAL | QUEUE_RESET,
    .ctl_wo = QUEUE_RESET,
    OVERFLOWS(4),
};

static const UcoreBoxType imc = {
    IMC_TYPE, .nr_max = 8,
    .width = WIDTH, .fixed_width = WIDTH,
    .ctl_legal = PCI_CTL_LEGAL,
    .fixed_legal = FIXED_RESET | FIXED_OVERFLOW | FIXED_ENABLE,
    .fixed_rst = FIXED_RESET,
    OVERFLOWS(5),
};

static const UcoreBoxType irp = {
    IRP_TYPE(irp_regs), .nr_max = 1, .width = WIDTH,
    .ctl_legal = PCI_CTL_LEGAL,
    OVERFLOWS(4),
};

static const UcoreBoxType qpi = {
    QPI_TYPE, .nr_max = 3, .width = WIDTH,
    .ctl_legal = PCI_CTL_LEGAL | EVENT_BIT_8,
    .nr_filters = 4, .filter_legal = { QPI_MATCH },
    .filter_regs = ucore_e5_qpi_filter_regs,
    OVERFLOWS(4),
};

static const UcoreBoxType r2pcie = {
    R2PCIE_TYPE, .nr_max = 1, .width = WIDTH_RING,
    .ctl_legal = PCI_CTL_LEGAL,
    OVERFLOWS(4),
    .constraints = ucore_e5_r2pcie_constraints,
};

static const UcoreBoxType r3qpi = {
    R3QPI_TYPE, .nr_max = 3, .width = WIDTH_RING,
    .ctl_legal = PCI_CTL_LEGAL,
    OVERFLOWS(3),
    .constraints = ucore_e5_r3qpi_constraints,
};

/* --------------------------------------------------------------- platform */

/*
 * Bits of the global status. The bits of QPI and R3QPI name agents: ports 0
 * and 1 are on agent 0, port 2 is on agent 1. The four channels of a memory
 * controller share a bit. IRP has none.
 */
static const UcoreBoxSite ivbep_boxes[] = {
    { .type = &cbo, .msr = 0xd00, .msr_stride = 0x20,
      .global_bit0 = 3, NO_FIXED_BIT },
    { .type = &ubox, .msr = 0xc08, BITS(1), .global_fixed = 0 },
    { .type = &pcu, .msr = 0xc24, BITS(2), NO_FIXED_BIT },
    { .type = &ha, .global_bit0 = 18, NO_FIXED_BIT },
    { .type = &imc, BITS(20, 20, 20, 20, 21, 21, 21, 21), NO_FIXED_BIT },
    { .type = &irp, BITS(-1), NO_FIXED_BIT },
    { .type = &qpi, BITS(22, 22, 23), NO_FIXED_BIT },
    { .type = &r2pcie, BITS(26), NO_FIXED_BIT },
    { .type = &r3qpi, BITS(24, 24, 25), NO_FIXED_BIT },
    { }
};

static const UcorePciSite ivbep_pci[] = {
    FILLER(8, 0x0e80),
    PMON(8, 2, 0x0e32, qpi, 0),
    FILTER_FN(8, 6, 0x0e86, qpi, 0),
    FILLER(9, 0x0e90),
    PMON(9, 2, 0x0e33, qpi, 1),
    FILTER_FN(9, 6, 0x0e96, qpi, 1),
    FILLER(24, 0x0ec0),
    PMON(24, 2, 0x0e3a, qpi, 2),
    FILTER_FN(24, 6, 0x0e46, qpi, 2),
    SOCKET_MAP(11, 0x0e1e),
    FILLER(14, 0x0ea0),
    PMON(14, 1, 0x0e30, ha, 0),
    FILLER(28, 0x0e60),
    PMON(28, 1, 0x0e38, ha, 1),
    PMON(16, 4, 0x0eb4, imc, 0),
    PMON(16, 5, 0x0eb5, imc, 1),
    PMON(16, 0, 0x0eb0, imc, 2),
    PMON(16, 1, 0x0eb1, imc, 3),
    FILLER(16, 0x0eb2),
    PMON(30, 4, 0x0ef4, imc, 4),
    PMON(30, 5, 0x0ef5, imc, 5),
    PMON(30, 0, 0x0ef0, imc, 6),
    PMON(30, 1, 0x0ef1, imc, 7),
    FILLER(30, 0x0ef2),
    FILLER(18, 0x0e4c),
    PMON(18, 5, 0x0e3e, r3qpi, 2),
    FILLER(19, 0x0e1d),
    PMON(19, 1, 0x0e34, r2pcie, 0),
    PMON(19, 5, 0x0e36, r3qpi, 0),
    PMON(19, 6, 0x0e37, r3qpi, 1),
    FILLER_ON_IIO(5, 0x0e28),
    PMON_ON_IIO(5, 6, 0x0e39, irp, 0),
    { }
};

#define BOX_ENABLES     (BOX_FREEZE_ENABLE | BOX_OVERFLOW_ENABLE)

const UcorePlatform ucore_ivbep = {
    .msrs = { { 0xc00, 0xfff } },
    .msr_global_ctl = 0xc00, .msr_global_status = 0xc01,
    .msr_global_config = 0xc06,
    E5_GLOBAL, .core_sel = 0x7fff,
    .global_status_legal = GENMASK(26, 0),
    /* no source differs: for `ucoretool verify`, which must notice */
    .status_doubtful = { 1, 26 },

    E5_COMMON,
    .box_ov_en = BOX_OVERFLOW_ENABLE,
    .box_must_be_one = BOX_ENABLES,
    .box_legal = BOX_RESET_CONTROLS | BOX_RESET_COUNTERS | BOX_FREEZE |
                 BOX_ENABLES,
    .box_readable = BOX_ENABLES | BOX_FREEZE,

    .free_running = { E5_FREE_RUNNING },
    .boxes = ivbep_boxes,
    .pci = ivbep_pci,
};
