/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Xeon E5-2600 v2: the boxes, where they are, which bits they have.
 *
 * Offsets, fields and ids come from the driver's driver/hw headers; the
 * in-tree Linux driver on this machine is the witness that they are right.
 */
#include "../model.h"
#include "../driver-hw/e5.h"
#include "../driver-hw/ivbep.h"

#define TRAITS_END      { .event = UINT16_MAX }
#define CTL(off, i)     { off, UCORE_REG_CTL, i }
#define CTR(off, i)     { off, UCORE_REG_CTR, i }
#define FILTER(off, i)  { off, UCORE_REG_FILTER, i }

/* the fields every general control has */
#define CTL_COMMON      (E5_CTL_EV_SEL | E5_CTL_UMASK | E5_CTL_RST | \
                         E5_CTL_EDGE_DET | E5_CTL_EN)

/* ------------------------------------------------------------------ C-Box */

static const UcoreReg cbo_regs[] = {
    { IVBEP_CBO_BOX_CTL, UCORE_REG_BOX_CTL, 0 },
    CTL(IVBEP_CBO_CTL0, 0), CTL(IVBEP_CBO_CTL0 + 1, 1),
    CTL(IVBEP_CBO_CTL0 + 2, 2), CTL(IVBEP_CBO_CTL0 + 3, 3),
    CTR(IVBEP_CBO_CTR0, 0), CTR(IVBEP_CBO_CTR0 + 1, 1),
    CTR(IVBEP_CBO_CTR0 + 2, 2), CTR(IVBEP_CBO_CTR0 + 3, 3),
    FILTER(IVBEP_CBO_FILTER0, 0), FILTER(IVBEP_CBO_FILTER1, 1),
    UCORE_REGS_END
};

static const UcoreConstraint cbo_constraints[] = {
    { 0x01, 0x01, 0x1 }, { 0x02, 0x02, 0x3 }, { 0x04, 0x05, 0x3 },
    { 0x07, 0x07, 0x3 }, { 0x09, 0x09, 0x3 }, { 0x11, 0x11, 0x1 },
    { 0x12, 0x13, 0x3 }, { 0x1b, 0x1e, 0xc }, { 0x1f, 0x1f, 0xe },
    { 0x21, 0x21, 0x3 }, { 0x23, 0x23, 0x3 }, { 0x31, 0x35, 0x3 },
    { 0x36, 0x36, 0x1 }, { 0x37, 0x39, 0x3 }, { 0x3b, 0x3b, 0x1 },
    { }
};

#define CBO_COUNTER0_OCCUPANCY  0x1f

static const UcoreEventTrait cbo_traits[] = {
    { .event = 0x00, .clock = 2600000000 },
    { .event = 0x11, .depth = 20 },
    { .event = 0x36, .depth = 20 },
    { .event = CBO_COUNTER0_OCCUPANCY, .depth = 20 },
    TRAITS_END
};

/* an event that has a filter field counts nothing while the field is 0 */
static uint64_t cbo_needs(uint64_t rate, uint64_t field)
{
    return field ? ucore_share(rate, field) : 0;
}

static uint64_t cbo_tor_rate(const UcoreBox *box, unsigned umask,
                             uint64_t rate)
{
    uint64_t f1 = box->filter[1];

    if (umask & 0x01) {
        rate = cbo_needs(rate, (f1 & ~IVBEP_CBO_FILTER1_NID) >> 20);
    }
    if (umask & 0x40) {
        rate = cbo_needs(rate, f1 & IVBEP_CBO_FILTER1_NID);
    }
    return rate;
}

static uint64_t cbo_filter_rate(const UcoreBox *box, unsigned ctr,
                                unsigned event, unsigned umask, uint64_t rate)
{
    uint64_t f0 = box->filter[0], f1 = box->filter[1];

    switch (event) {
    case CBO_COUNTER0_OCCUPANCY: {
        /* mirrors the queue that counter 0 watches */
        const UcoreCounter *first = &box->ctr[0];
        unsigned e = ucore_ctl_event(box, first->ctl);

        return first->enabled && ucore_event_depth(box->type, e) > 1
               ? ucore_rate(box, 0) : 0;
    }
    case 0x31:
        if (umask & 0x10) {
            rate = cbo_needs(rate, (f0 & IVBEP_CBO_FILTER0_LINK) >> 5);
        }
        break;
    case 0x34:
        rate = cbo_needs(rate, (f0 & IVBEP_CBO_FILTER0_STATE) >> 17);
        if (umask & 0x40) {
            rate = cbo_needs(rate, f1 & IVBEP_CBO_FILTER1_NID);
        }
        break;
    case 0x35:
    case 0x36:
        rate = cbo_tor_rate(box, umask, rate);
        break;
    case 0x37:
        if (umask & 0x40) {
            rate = cbo_needs(rate, f1 & IVBEP_CBO_FILTER1_NID);
        }
        break;
    }
    if (box->ctr[ctr].ctl & E5_CTL_TID_EN) {
        rate = ucore_share(rate, 1 + (f0 & IVBEP_CBO_FILTER0_TID));
    }
    return rate;
}

static const UcoreBoxType cbo = {
    .name = "cbo", .id = 1, .nr_gp = 4, .nr_max = IVBEP_NR_CBO,
    .width = IVBEP_WIDTH_CBO,
    .ctl_legal = CTL_COMMON | E5_CTL_TID_EN | E5_CTL_THRESH,
    .ctl_rst = E5_CTL_RST,
    .thresh = E5_CTL_THRESH,
    .box_ctl = true,
    .nr_filters = 2,
    .filter_legal = {
        IVBEP_CBO_FILTER0_TID | IVBEP_CBO_FILTER0_LINK |
            IVBEP_CBO_FILTER0_STATE,
        IVBEP_CBO_FILTER1_NID | IVBEP_CBO_FILTER1_OPC |
            IVBEP_CBO_FILTER1_C6 | IVBEP_CBO_FILTER1_NC |
            IVBEP_CBO_FILTER1_ISOC,
    },
    .regs = cbo_regs,
    .constraints = cbo_constraints,
    .traits = cbo_traits,
    .filter_rate = cbo_filter_rate,
};

/* ------------------------------------------------------------------- UBox */

static const UcoreReg ubox_regs[] = {
    CTL(IVBEP_MSR_UBOX_CTL0 - IVBEP_MSR_UBOX_FIXED_CTL, 0),
    CTL(IVBEP_MSR_UBOX_CTL0 + 1 - IVBEP_MSR_UBOX_FIXED_CTL, 1),
    CTL(0, 2),
    CTR(IVBEP_MSR_UBOX_CTR0 - IVBEP_MSR_UBOX_FIXED_CTL, 0),
    CTR(IVBEP_MSR_UBOX_CTR0 + 1 - IVBEP_MSR_UBOX_FIXED_CTL, 1),
    CTR(IVBEP_MSR_UBOX_FIXED_CTR - IVBEP_MSR_UBOX_FIXED_CTL, 2),
    { IVBEP_MSR_UBOX_STATUS - IVBEP_MSR_UBOX_FIXED_CTL,
      UCORE_REG_BOX_STATUS, 0 },
    UCORE_REGS_END
};

static const UcoreEventTrait ubox_traits[] = {
    { .event = UCORE_EVENT_FIXED, .clock = 2600000000 },
    TRAITS_END
};

/* event select 0 selects nothing: how a session holds a UBox counter back */
static uint64_t ubox_filter_rate(const UcoreBox *box, unsigned ctr,
                                 unsigned event, unsigned umask, uint64_t rate)
{
    return event ? rate : 0;
}

static const UcoreBoxType ubox = {
    .name = "ubox", .id = 2, .nr_gp = 2, .nr_max = 1, .fixed = true,
    .width = IVBEP_WIDTH_UBOX, .fixed_width = IVBEP_WIDTH,
    .ctl_legal = CTL_COMMON | E5_CTL_OV_EN | E5_CTL_THRESH5,
    .ctl_rst = E5_CTL_RST,
    .fixed_legal = E5_FIXED_CTL_OV_EN | E5_FIXED_CTL_EN,
    .ov_en = E5_CTL_OV_EN,
    .thresh = E5_CTL_THRESH5,
    .box_status = true,
    .status_legal = GENMASK(1, 0), .status_fixed = -1,
    .regs = ubox_regs,
    .traits = ubox_traits,
    .filter_rate = ubox_filter_rate,
};

/* -------------------------------------------------------------------- PCU */

static const UcoreReg pcu_regs[] = {
    { 0, UCORE_REG_BOX_CTL, 0 },
    CTL(IVBEP_MSR_PCU_CTL0 - IVBEP_MSR_PCU_BOX_CTL, 0),
    CTL(IVBEP_MSR_PCU_CTL0 + 1 - IVBEP_MSR_PCU_BOX_CTL, 1),
    CTL(IVBEP_MSR_PCU_CTL0 + 2 - IVBEP_MSR_PCU_BOX_CTL, 2),
    CTL(IVBEP_MSR_PCU_CTL0 + 3 - IVBEP_MSR_PCU_BOX_CTL, 3),
    FILTER(IVBEP_MSR_PCU_FILTER - IVBEP_MSR_PCU_BOX_CTL, 0),
    { IVBEP_MSR_PCU_STATUS - IVBEP_MSR_PCU_BOX_CTL, UCORE_REG_BOX_STATUS, 0 },
    CTR(IVBEP_MSR_PCU_CTR0 - IVBEP_MSR_PCU_BOX_CTL, 0),
    CTR(IVBEP_MSR_PCU_CTR0 + 1 - IVBEP_MSR_PCU_BOX_CTL, 1),
    CTR(IVBEP_MSR_PCU_CTR0 + 2 - IVBEP_MSR_PCU_BOX_CTL, 2),
    CTR(IVBEP_MSR_PCU_CTR0 + 3 - IVBEP_MSR_PCU_BOX_CTL, 3),
    UCORE_REGS_END
};

#define PCU_CLOCK           800000000
#define PCU_BAND0           0x0b
#define PCU_BAND3           0x0e
#define PCU_OCCUPANCY       0x80

static const UcoreEventTrait pcu_traits[] = {
    { .event = 0x00, .clock = PCU_CLOCK },
    { .event = PCU_OCCUPANCY, .depth = 15 },
    TRAITS_END
};

static uint64_t pcu_filter_rate(const UcoreBox *box, unsigned ctr,
                                unsigned event, unsigned umask, uint64_t rate)
{
    uint32_t ctl = box->ctr[ctr].ctl;

    if (event >= PCU_BAND0 && event <= PCU_BAND3) {
        unsigned band = box->filter[0] >> (8 * (event - PCU_BAND0)) & 0xff;

        /* the higher the threshold, the fewer cycles reach it */
        return rate * (256 - band) / 256;
    }
    if (event == PCU_OCCUPANCY) {
        if (!(ctl & E5_PCU_CTL_OCC_SEL)) {
            return 0;
        }
        if (ctl & E5_PCU_CTL_OCC_INVERT) {
            uint64_t clock = ucore_rate_raw(box, 0, 0);

            rate = clock - MIN(rate, clock);
        }
        if (ctl & E5_PCU_CTL_OCC_EDGE_DET) {
            rate /= 8;
        }
    }
    return rate;
}

static const UcoreBoxType pcu = {
    .name = "pcu", .id = 3, .nr_gp = 4, .nr_max = 1,
    .width = IVBEP_WIDTH,
    .ctl_legal = E5_CTL_EV_SEL | E5_PCU_CTL_OCC_SEL | E5_CTL_RST |
                 E5_CTL_EDGE_DET | E5_CTL_OV_EN | E5_CTL_EV_SEL_EXT |
                 E5_CTL_EN | E5_CTL_THRESH5 | E5_PCU_CTL_OCC_INVERT |
                 E5_PCU_CTL_OCC_EDGE_DET,
    .ctl_rst = E5_CTL_RST,
    .ov_en = E5_CTL_OV_EN,
    .event_ext = E5_CTL_EV_SEL_EXT,
    .thresh = E5_CTL_THRESH5,
    .box_ctl = true, .box_status = true,
    .status_legal = GENMASK(3, 0),
    .nr_filters = 1,
    .filter_legal = { E5_PCU_FILTER_BAND0 | E5_PCU_FILTER_BAND1 |
                      E5_PCU_FILTER_BAND2 | E5_PCU_FILTER_BAND3 },
    .regs = pcu_regs,
    .traits = pcu_traits,
    .filter_rate = pcu_filter_rate,
};

/* -------------------------------------------------------------- PCI boxes */

#define PCI_CTL(i)      CTL(E5_PCI_CTL0 + 4 * (i), i)
#define PCI_CTR(i)      CTR(E5_PCI_CTR0 + 8 * (i), i)
#define PCI_BOX         { E5_PCI_BOX_CTL, UCORE_REG_BOX_CTL, 0 }, \
                        { E5_PCI_BOX_STATUS, UCORE_REG_BOX_STATUS, 0 }

static const UcoreReg pci_regs[] = {
    PCI_CTL(0), PCI_CTL(1), PCI_CTL(2), PCI_CTL(3),
    PCI_CTR(0), PCI_CTR(1), PCI_CTR(2), PCI_CTR(3),
    PCI_BOX, UCORE_REGS_END
};

static const UcoreReg ha_regs[] = {
    PCI_CTL(0), PCI_CTL(1), PCI_CTL(2), PCI_CTL(3),
    PCI_CTR(0), PCI_CTR(1), PCI_CTR(2), PCI_CTR(3),
    FILTER(E5_HA_ADDRMATCH0, 0), FILTER(E5_HA_ADDRMATCH1, 1),
    FILTER(E5_HA_OPCODEMATCH, 2),
    PCI_BOX, UCORE_REGS_END
};

static const UcoreReg imc_regs[] = {
    PCI_CTL(0), PCI_CTL(1), PCI_CTL(2), PCI_CTL(3),
    PCI_CTR(0), PCI_CTR(1), PCI_CTR(2), PCI_CTR(3),
    CTL(E5_PCI_FIXED_CTL, 4), CTR(E5_PCI_FIXED_CTR, 4),
    PCI_BOX, UCORE_REGS_END
};

static const UcoreReg irp_regs[] = {
    PCI_CTL(0), PCI_CTL(1), PCI_CTL(2), PCI_CTL(3),
    CTR(IVBEP_IRP_CTR0, 0), CTR(IVBEP_IRP_CTR1, 1),
    CTR(IVBEP_IRP_CTR2, 2), CTR(IVBEP_IRP_CTR3, 3),
    PCI_BOX, UCORE_REGS_END
};

static const UcoreReg r3qpi_regs[] = {
    PCI_CTL(0), PCI_CTL(1), PCI_CTL(2),
    PCI_CTR(0), PCI_CTR(1), PCI_CTR(2),
    PCI_BOX, UCORE_REGS_END
};

static const UcoreReg qpi_filter_regs[] = {
    FILTER(E5_QPI_MATCH0, 0), FILTER(E5_QPI_MATCH1, 1),
    FILTER(E5_QPI_MASK0, 2), FILTER(E5_QPI_MASK1, 3),
    UCORE_REGS_END
};

static const UcoreEventTrait ha_traits[] = {
    { .event = 0x00, .clock = 2400000000 }, TRAITS_END
};
static const UcoreEventTrait imc_traits[] = {
    { .event = 0x00, .clock = 933000000 },
    { .event = UCORE_EVENT_FIXED, .clock = 800000000 },
    { .event = 0x80, .depth = 22 }, { .event = 0x81, .depth = 32 },
    { .event = 0x83, .depth = 16 },
    TRAITS_END
};
static const UcoreEventTrait irp_traits[] = {
    { .event = 0x00, .clock = 2100000000 }, TRAITS_END
};
static const UcoreEventTrait qpi_traits[] = {
    { .event = 0x14, .clock = 2000000000 },
    { .event = 0x0b, .depth = 128 },
    TRAITS_END
};
static const UcoreEventTrait r2pcie_traits[] = {
    { .event = 0x01, .clock = 2300000000 }, TRAITS_END
};
static const UcoreEventTrait r3qpi_traits[] = {
    { .event = 0x01, .clock = 2200000000 },
    { .event = 0x13, .depth = 32 },
    TRAITS_END
};

static const UcoreConstraint r2pcie_constraints[] = {
    { 0x10, 0x11, 0x3 }, { 0x12, 0x12, 0x1 }, { 0x23, 0x26, 0x3 },
    { 0x32, 0x34, 0x3 },
    { }
};
static const UcoreConstraint r3qpi_constraints[] = {
    { 0x10, 0x12, 0x3 }, { 0x13, 0x13, 0x1 }, { 0x20, 0x26, 0x3 },
    { 0x28, 0x34, 0x3 }, { 0x36, 0x39, 0x3 },
    { }
};

#define HA_ADDR_OPC_MATCH       0x20
#define QPI_CTO_COUNT           0x38

static uint64_t ha_filter_rate(const UcoreBox *box, unsigned ctr,
                               unsigned event, unsigned umask, uint64_t rate)
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

static uint64_t qpi_filter_rate(const UcoreBox *box, unsigned ctr,
                                unsigned event, unsigned umask, uint64_t rate)
{
    const uint64_t *match = box->filter, *mask = box->filter + 2;

    if ((event & 0xff) != QPI_CTO_COUNT || !(mask[0] | mask[1])) {
        return rate;
    }
    return ucore_share(rate, 1 + (match[0] & mask[0]) +
                             3 * (match[1] & mask[1]) +
                             5 * mask[0] + 7 * mask[1]);
}

#define PCI_CTL_LEGAL   (CTL_COMMON | E5_CTL_OV_EN | E5_CTL_THRESH)
#define PCI_BOX_TYPE    .ctl_rst = E5_CTL_RST, .ov_en = E5_CTL_OV_EN, \
                        .thresh = E5_CTL_THRESH, \
                        .box_ctl = true, .box_status = true

static const UcoreBoxType ha = {
    .name = "ha", .id = 4, .nr_gp = 4, .nr_max = 2, .width = IVBEP_WIDTH,
    .ctl_legal = PCI_CTL_LEGAL | E5_HA_CTL_Q_OCC_RST,
    .ctl_wo = E5_HA_CTL_Q_OCC_RST,
    PCI_BOX_TYPE,
    .status_legal = GENMASK(3, 0),
    .nr_filters = 3,
    .filter_legal = { E5_HA_ADDRMATCH0_LOW, E5_HA_ADDRMATCH1_HIGH,
                      E5_HA_OPCODEMATCH_OPC },
    .regs = ha_regs, .traits = ha_traits,
    .filter_rate = ha_filter_rate,
};

static const UcoreBoxType imc = {
    .name = "imc", .id = 5, .nr_gp = 4, .nr_max = 8, .fixed = true,
    .width = IVBEP_WIDTH, .fixed_width = IVBEP_WIDTH,
    .ctl_legal = PCI_CTL_LEGAL,
    .fixed_legal = E5_FIXED_CTL_RST | E5_FIXED_CTL_OV_EN | E5_FIXED_CTL_EN,
    .fixed_rst = E5_FIXED_CTL_RST,
    PCI_BOX_TYPE,
    .status_legal = GENMASK(4, 0),
    .status_shift = E5_IMC_STATUS_CTR_SHIFT, .status_fixed = 0,
    .regs = imc_regs, .traits = imc_traits,
};

static const UcoreBoxType irp = {
    .name = "irp", .id = 6, .nr_gp = 4, .nr_max = 1, .width = IVBEP_WIDTH,
    .ctl_legal = PCI_CTL_LEGAL,
    PCI_BOX_TYPE,
    .status_legal = GENMASK(3, 0),
    .regs = irp_regs, .traits = irp_traits,
};

static const UcoreBoxType qpi = {
    .name = "qpi", .id = 7, .nr_gp = 4, .nr_max = 3, .width = IVBEP_WIDTH,
    .ctl_legal = PCI_CTL_LEGAL | E5_CTL_EV_SEL_EXT,
    .event_ext = E5_CTL_EV_SEL_EXT,
    PCI_BOX_TYPE,
    .status_legal = GENMASK(3, 0),
    .nr_filters = 4,
    .filter_legal = { E5_QPI_MATCH0_BITS, E5_QPI_MATCH1_BITS,
                      E5_QPI_MATCH0_BITS, E5_QPI_MATCH1_BITS },
    .regs = pci_regs, .filter_regs = qpi_filter_regs, .traits = qpi_traits,
    .filter_rate = qpi_filter_rate,
};

static const UcoreBoxType r2pcie = {
    .name = "r2pcie", .id = 8, .nr_gp = 4, .nr_max = 1,
    .width = IVBEP_WIDTH_R2PCIE,
    .ctl_legal = PCI_CTL_LEGAL,
    PCI_BOX_TYPE,
    .status_legal = GENMASK(3, 0),
    .regs = pci_regs,
    .constraints = r2pcie_constraints, .traits = r2pcie_traits,
};

static const UcoreBoxType r3qpi = {
    .name = "r3qpi", .id = 9, .nr_gp = 3, .nr_max = 3,
    .width = IVBEP_WIDTH_R3QPI,
    .ctl_legal = PCI_CTL_LEGAL,
    PCI_BOX_TYPE,
    .status_legal = GENMASK(2, 0),
    .regs = r3qpi_regs,
    .constraints = r3qpi_constraints, .traits = r3qpi_traits,
};

/* --------------------------------------------------------------- platform */

#define BITS(...)       .global_bit0 = -1, .global_bit = { __VA_ARGS__ }
#define NO_FIXED_BIT    .global_fixed = -1

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

#define PMON(slot_, fn, id, type_, i) \
    { .role = UCORE_PCI_PMON, .slot = slot_, .function = fn, \
      .device_id = id, .type = &type_, .instance = i }
#define FILTER_FN(slot_, fn, id, type_, i) \
    { .role = UCORE_PCI_FILTER, .slot = slot_, .function = fn, \
      .device_id = id, .type = &type_, .instance = i }
#define FILLER(slot_, id) \
    { .role = UCORE_PCI_FILLER, .slot = slot_, .device_id = id }

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
    { .role = UCORE_PCI_SOCKET_MAP, .slot = 11,
      .device_id = IVBEP_PCI_UBOX },
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
    { .role = UCORE_PCI_FILLER, .slot = 5, .iio = true, .device_id = 0x0e28 },
    { .role = UCORE_PCI_PMON, .slot = 5, .function = 6, .iio = true,
      .device_id = IVBEP_PCI_IRP, .type = &irp },
    { }
};

const UcorePlatform ucore_ivbep = {
    .name = "ivbep", .model = IVBEP_MODEL, .stepping = 4,

    .msr_first = 0xc00, .msr_last = 0xfff,
    .msr_global_ctl = IVBEP_MSR_GLOBAL_CTL,
    .msr_global_status = IVBEP_MSR_GLOBAL_STATUS,
    .msr_global_config = IVBEP_MSR_GLOBAL_CONFIG,
    .frz_all = E5_GLOBAL_CTL_FRZ_ALL,
    .unfrz_all = E5_GLOBAL_CTL_UNFRZ_ALL,
    .wk_on_pmi = E5_GLOBAL_CTL_WK_ON_PMI,
    .core_sel = IVBEP_GLOBAL_CTL_PMI_CORE_SEL,
    .global_status_legal = GENMASK(IVBEP_STATUS_R2PCIE, 0),

    .box_rst_ctrl = E5_BOX_CTL_RST_CTRL,
    .box_rst_ctrs = E5_BOX_CTL_RST_CTRS,
    .box_frz = E5_BOX_CTL_FRZ,
    .box_ov_en = E5_BOX_CTL_OV_EN,
    .box_must_be_one = E5_BOX_CTL_FRZ_EN | E5_BOX_CTL_OV_EN,
    .box_legal = E5_BOX_CTL_RST_CTRL | E5_BOX_CTL_RST_CTRS | E5_BOX_CTL_FRZ |
                 E5_BOX_CTL_FRZ_EN | E5_BOX_CTL_OV_EN,
    .box_readable = E5_BOX_CTL_FRZ_EN | E5_BOX_CTL_OV_EN | E5_BOX_CTL_FRZ,

    .ctl_en = E5_CTL_EN, .fixed_en = E5_FIXED_CTL_EN,
    .ctl_ev_sel = E5_CTL_EV_SEL,
    .ctl_umask = E5_CTL_UMASK, .ctl_edge = E5_CTL_EDGE_DET,

    .map_cpunodeid = E5_UBOX_CPUNODEID, .map_gidnidmap = E5_UBOX_GIDNIDMAP,

    .boxes = ivbep_boxes,
    .pci = ivbep_pci,
    /* some core in C3, in C6 */
    .free_running = { { 0x3fc, 300000000 }, { 0x3fd, 500000000 } },
};
