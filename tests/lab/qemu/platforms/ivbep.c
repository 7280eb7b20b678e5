/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Xeon E5-2600 v2: the boxes, where they are, which bits they have.
 *
 * Offsets, fields and ids come from the driver's driver/hw headers; the
 * in-tree Linux driver on this machine is the witness that they are right.
 */
#include "e5.h"
#include "../driver-hw/ivbep.h"

/* ------------------------------------------------------------------ C-Box */

static const UcoreReg cbo_regs[] = {
    BOX_CTL(IVBEP_CBO_BOX_CTL),
    CTLS_4(IVBEP_CBO_CTL0), CTRS_4(IVBEP_CBO_CTR0),
    FILTER(IVBEP_CBO_FILTER0, 0), FILTER(IVBEP_CBO_FILTER1, 1),
    UCORE_REGS_END
};

static uint64_t cbo_tor_rate(const UcoreBox *box, unsigned umask,
                             uint64_t rate)
{
    uint64_t f1 = box->filter[1];

    if (umask & 0x01) {
        rate = ucore_e5_field_rate(rate, (f1 & ~IVBEP_CBO_FILTER1_NID) >> 20);
    }
    if (umask & 0x40) {
        rate = ucore_e5_field_rate(rate, f1 & IVBEP_CBO_FILTER1_NID);
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
            rate = ucore_e5_field_rate(rate,
                                       (f0 & IVBEP_CBO_FILTER0_LINK) >> 5);
        }
        break;
    case 0x34:
        rate = ucore_e5_field_rate(rate, (f0 & IVBEP_CBO_FILTER0_STATE) >> 17);
        if (umask & 0x40) {
            rate = ucore_e5_field_rate(rate, f1 & IVBEP_CBO_FILTER1_NID);
        }
        break;
    case 0x35:
    case 0x36:
        rate = cbo_tor_rate(box, umask, rate);
        break;
    case 0x37:
        if (umask & 0x40) {
            rate = ucore_e5_field_rate(rate, f1 & IVBEP_CBO_FILTER1_NID);
        }
        break;
    }
    if (box->ctr[ctr].ctl & E5_CTL_TID_EN) {
        rate = ucore_share(rate, 1 + (f0 & IVBEP_CBO_FILTER0_TID));
    }
    return rate;
}

static const UcoreBoxType cbo = {
    CBO_TYPE, .nr_max = IVBEP_NR_CBO, .width = IVBEP_WIDTH_CBO,
    .ctl_legal = CTL_COMMON | E5_CTL_TID_EN | E5_CTL_THRESH,
    .ctl_rst = E5_CTL_RST, .ov_en_doubtful = E5_CTL_OV_EN,
    .nr_filters = 2,
    .filter_legal = {
        IVBEP_CBO_FILTER0_TID | IVBEP_CBO_FILTER0_LINK |
            IVBEP_CBO_FILTER0_STATE,
        IVBEP_CBO_FILTER1_NID | IVBEP_CBO_FILTER1_OPC |
            IVBEP_CBO_FILTER1_C6 | IVBEP_CBO_FILTER1_NC |
            IVBEP_CBO_FILTER1_ISOC,
    },
    .regs = cbo_regs, .constraints = ucore_e5_cbo_constraints,
    .filter_rate = cbo_rate,
};

/* ------------------------------------------------- all boxes with overflow */

#define OVERFLOWS(nr_) \
    .ctl_rst = E5_CTL_RST, .ov_en = E5_CTL_OV_EN, .box_status = true, \
    .status_legal = GENMASK((nr_) - 1, 0)

/* ------------------------------------------------------------ UBox and PCU */

static const UcoreReg ubox_regs[] = { UBOX_REGS(IVBEP), UCORE_REGS_END };
static const UcoreReg pcu_regs[] = { PCU_REGS(IVBEP), UCORE_REGS_END };

static const UcoreBoxType ubox = {
    UBOX_TYPE, .nr_max = 1,
    .width = IVBEP_WIDTH_UBOX, .fixed_width = IVBEP_WIDTH,
    .ctl_legal = CTL_COMMON | E5_CTL_OV_EN | E5_CTL_THRESH5,
    .fixed_legal = E5_FIXED_CTL_OV_EN | E5_FIXED_CTL_EN,
    OVERFLOWS(2),
    .regs = ubox_regs, .filter_rate = ucore_e5_ubox_rate,
};

static const UcoreBoxType pcu = {
    PCU_TYPE, .nr_max = 1, .width = IVBEP_WIDTH,
    .ctl_legal = PCU_CTL_COMMON | E5_CTL_OV_EN | E5_CTL_EV_SEL_EXT,
    OVERFLOWS(4),
    .regs = pcu_regs,
};

/* -------------------------------------------------------------- PCI boxes */

static const UcoreReg irp_regs[] = {
    PCI_CTLS,
    CTR(IVBEP_IRP_CTR0, 0), CTR(IVBEP_IRP_CTR1, 1),
    CTR(IVBEP_IRP_CTR2, 2), CTR(IVBEP_IRP_CTR3, 3),
    PCI_BOX_REGS, UCORE_REGS_END
};

#define PCI_CTL_LEGAL   (CTL_COMMON | E5_CTL_OV_EN | E5_CTL_THRESH)

static const UcoreBoxType ha = {
    HA_TYPE, .nr_max = 2, .width = IVBEP_WIDTH,
    .ctl_legal = PCI_CTL_LEGAL | E5_HA_CTL_Q_OCC_RST,
    .ctl_wo = E5_HA_CTL_Q_OCC_RST,
    OVERFLOWS(4),
};

static const UcoreBoxType imc = {
    IMC_TYPE, .nr_max = 8,
    .width = IVBEP_WIDTH, .fixed_width = IVBEP_WIDTH,
    .ctl_legal = PCI_CTL_LEGAL,
    .fixed_legal = E5_FIXED_CTL_RST | E5_FIXED_CTL_OV_EN | E5_FIXED_CTL_EN,
    .fixed_rst = E5_FIXED_CTL_RST,
    OVERFLOWS(5),
};

static const UcoreBoxType irp = {
    IRP_TYPE(irp_regs), .nr_max = 1, .width = IVBEP_WIDTH,
    .ctl_legal = PCI_CTL_LEGAL,
    OVERFLOWS(4),
};

static const UcoreBoxType qpi = {
    QPI_TYPE, .nr_max = 3, .width = IVBEP_WIDTH,
    .ctl_legal = PCI_CTL_LEGAL | E5_CTL_EV_SEL_EXT,
    .nr_filters = 4, .filter_legal = { QPI_MATCH },
    .filter_regs = ucore_e5_qpi_filter_regs,
    OVERFLOWS(4),
};

static const UcoreBoxType r2pcie = {
    R2PCIE_TYPE, .nr_max = 1, .width = IVBEP_WIDTH_R2PCIE,
    .ctl_legal = PCI_CTL_LEGAL,
    OVERFLOWS(4),
    .constraints = ucore_e5_r2pcie_constraints,
};

static const UcoreBoxType r3qpi = {
    R3QPI_TYPE, .nr_max = 3, .width = IVBEP_WIDTH_R3QPI,
    .ctl_legal = PCI_CTL_LEGAL,
    OVERFLOWS(3),
    .constraints = ucore_e5_r3qpi_constraints,
};

/* --------------------------------------------------------------- platform */

/* QPI and R3QPI bits name agents: ports 0 and 1 are on agent 0, 2 on agent 1 */
static const UcoreBoxSite ivbep_boxes[] = {
    { .type = &cbo, .msr = IVBEP_MSR_CBO, .msr_stride = IVBEP_MSR_CBO_STRIDE,
      .global_bit0 = IVBEP_STATUS_CBO0, NO_FIXED_BIT },
    { .type = &ubox, .msr = IVBEP_MSR_UBOX_FIXED_CTL,
      BITS(IVBEP_STATUS_UBOX), .global_fixed = IVBEP_STATUS_UBOX_FIXED },
    { .type = &pcu, .msr = IVBEP_MSR_PCU_BOX_CTL,
      BITS(IVBEP_STATUS_PCU), NO_FIXED_BIT },
    { .type = &ha, .global_bit0 = IVBEP_STATUS_HA0, NO_FIXED_BIT },
    { .type = &imc,
      BITS(IVBEP_STATUS_IMC0, IVBEP_STATUS_IMC0,
           IVBEP_STATUS_IMC0, IVBEP_STATUS_IMC0,
           IVBEP_STATUS_IMC0 + 1, IVBEP_STATUS_IMC0 + 1,
           IVBEP_STATUS_IMC0 + 1, IVBEP_STATUS_IMC0 + 1), NO_FIXED_BIT },
    { .type = &irp, BITS(-1), NO_FIXED_BIT },
    { .type = &qpi,
      BITS(IVBEP_STATUS_QPI0, IVBEP_STATUS_QPI0, IVBEP_STATUS_QPI0 + 1),
      NO_FIXED_BIT },
    { .type = &r2pcie, BITS(IVBEP_STATUS_R2PCIE), NO_FIXED_BIT },
    { .type = &r3qpi,
      BITS(IVBEP_STATUS_R3QPI0, IVBEP_STATUS_R3QPI0, IVBEP_STATUS_R3QPI0 + 1),
      NO_FIXED_BIT },
    { }
};

static const UcorePciSite ivbep_pci[] = {
    FILLER(8, 0x0e80),
    PMON(8, 2, IVBEP_PCI_QPI0, qpi, 0),
    FILTER_FN(8, 6, IVBEP_PCI_QPI0_FILTER, qpi, 0),
    FILLER(9, 0x0e90),
    PMON(9, 2, IVBEP_PCI_QPI1, qpi, 1),
    FILTER_FN(9, 6, IVBEP_PCI_QPI1_FILTER, qpi, 1),
    FILLER(24, 0x0ec0),
    PMON(24, 2, IVBEP_PCI_QPI2, qpi, 2),
    FILTER_FN(24, 6, IVBEP_PCI_QPI2_FILTER, qpi, 2),
    SOCKET_MAP(11, IVBEP_PCI_UBOX),
    FILLER(14, 0x0ea0),
    PMON(14, 1, IVBEP_PCI_HA0, ha, 0),
    FILLER(28, 0x0e60),
    PMON(28, 1, IVBEP_PCI_HA1, ha, 1),
    PMON(16, 4, IVBEP_PCI_IMC0_CH0, imc, 0),
    PMON(16, 5, IVBEP_PCI_IMC0_CH1, imc, 1),
    PMON(16, 0, IVBEP_PCI_IMC0_CH2, imc, 2),
    PMON(16, 1, IVBEP_PCI_IMC0_CH3, imc, 3),
    FILLER(16, 0x0eb2),
    PMON(30, 4, IVBEP_PCI_IMC1_CH0, imc, 4),
    PMON(30, 5, IVBEP_PCI_IMC1_CH1, imc, 5),
    PMON(30, 0, IVBEP_PCI_IMC1_CH2, imc, 6),
    PMON(30, 1, IVBEP_PCI_IMC1_CH3, imc, 7),
    FILLER(30, 0x0ef2),
    FILLER(18, 0x0e4c),
    PMON(18, 5, IVBEP_PCI_R3QPI2, r3qpi, 2),
    FILLER(19, 0x0e1d),
    PMON(19, 1, IVBEP_PCI_R2PCIE, r2pcie, 0),
    PMON(19, 5, IVBEP_PCI_R3QPI0, r3qpi, 0),
    PMON(19, 6, IVBEP_PCI_R3QPI1, r3qpi, 1),
    FILLER_ON_IIO(5, 0x0e28),
    PMON_ON_IIO(5, 6, IVBEP_PCI_IRP, irp, 0),
    { }
};

const UcorePlatform ucore_ivbep = {
    .msrs = { { 0xc00, 0xfff } },
    E5_GLOBAL(IVBEP),
    .global_status_legal = GENMASK(IVBEP_STATUS_R2PCIE, 0),
    /* no source differs: for `ucoretool verify`, which must notice */
    .status_doubtful = { 1, IVBEP_STATUS_R2PCIE },

    E5_COMMON,
    .box_ov_en = E5_BOX_CTL_OV_EN,
    .box_must_be_one = E5_BOX_CTL_FRZ_EN | E5_BOX_CTL_OV_EN,
    .box_legal = E5_BOX_CTL_RST_CTRL | E5_BOX_CTL_RST_CTRS | E5_BOX_CTL_FRZ |
                 E5_BOX_CTL_FRZ_EN | E5_BOX_CTL_OV_EN,
    .box_readable = E5_BOX_CTL_FRZ_EN | E5_BOX_CTL_OV_EN | E5_BOX_CTL_FRZ,

    .free_running = { E5_FREE_RUNNING },
    .boxes = ivbep_boxes,
    .pci = ivbep_pci,
};
