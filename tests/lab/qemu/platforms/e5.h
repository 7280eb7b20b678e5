/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Common definitions of the Xeon E5-2600 generations.
 *
 * The file of a platform defines the boxes, their addresses and widths, and the
 * legal bits of its manual. Fields and offsets are those of driver/hw/e5.h. A
 * macro argument @p stands for the prefix of driver/hw/@p.h, for example
 * IVBEP_...
 */
#ifndef UCORE_PLATFORMS_E5_H
#define UCORE_PLATFORMS_E5_H

#include "../model.h"
#include "../driver-hw/e5.h"

/* -------------------------------------------------------------- registers */

#define CTL(off, i)     { off, UCORE_REG_CTL, i }
#define CTR(off, i)     { off, UCORE_REG_CTR, i }
#define FILTER(off, i)  { off, UCORE_REG_FILTER, i }
#define BOX_CTL(off)    { off, UCORE_REG_BOX_CTL, 0 }
#define BOX_STATUS(off) { off, UCORE_REG_BOX_STATUS, 0 }

/* MSRs; @off of the first, the others follow */
#define CTLS_2(off)     CTL(off, 0), CTL((off) + 1, 1)
#define CTLS_4(off)     CTLS_2(off), CTL((off) + 2, 2), CTL((off) + 3, 3)
#define CTRS_2(off)     CTR(off, 0), CTR((off) + 1, 1)
#define CTRS_4(off)     CTRS_2(off), CTR((off) + 2, 2), CTR((off) + 3, 3)

/* the fixed control is where the box begins: there is no BOX_CTL */
#define UBOX_AT(p, reg) (p##_MSR_UBOX_##reg - p##_MSR_UBOX_FIXED_CTL)
#define UBOX_REGS(p) \
    CTLS_2(UBOX_AT(p, CTL0)), CTL(0, 2), \
    CTRS_2(UBOX_AT(p, CTR0)), CTR(UBOX_AT(p, FIXED_CTR), 2), \
    BOX_STATUS(UBOX_AT(p, STATUS))

#define PCU_AT(p, reg)  (p##_MSR_PCU_##reg - p##_MSR_PCU_BOX_CTL)
#define PCU_REGS(p) \
    BOX_CTL(0), CTLS_4(PCU_AT(p, CTL0)), FILTER(PCU_AT(p, FILTER), 0), \
    BOX_STATUS(PCU_AT(p, STATUS)), CTRS_4(PCU_AT(p, CTR0))

/* PCI boxes, the same on all generations */
#define PCI_CTL(i)      CTL(E5_PCI_CTL0 + 4 * (i), i)
#define PCI_CTR(i)      CTR(E5_PCI_CTR0 + 8 * (i), i)
#define PCI_CTLS        PCI_CTL(0), PCI_CTL(1), PCI_CTL(2), PCI_CTL(3)
#define PCI_CTRS        PCI_CTR(0), PCI_CTR(1), PCI_CTR(2), PCI_CTR(3)
#define PCI_BOX_REGS    BOX_CTL(E5_PCI_BOX_CTL), BOX_STATUS(E5_PCI_BOX_STATUS)

extern const UcoreReg ucore_e5_pci_regs[];
extern const UcoreReg ucore_e5_ha_regs[];
extern const UcoreReg ucore_e5_imc_regs[];
extern const UcoreReg ucore_e5_r3qpi_regs[];
extern const UcoreReg ucore_e5_qpi_filter_regs[];

/* ----------------------------------------------------- how fast they count */

/* clocks and depths: the table of README.md, "Rates" */
extern const UcoreEventTrait ucore_e5_cbo_traits[];
extern const UcoreEventTrait ucore_e5_ubox_traits[];
extern const UcoreEventTrait ucore_e5_pcu_traits[];
extern const UcoreEventTrait ucore_e5_ha_traits[];
extern const UcoreEventTrait ucore_e5_imc_traits[];
extern const UcoreEventTrait ucore_e5_irp_traits[];
extern const UcoreEventTrait ucore_e5_qpi_traits[];
extern const UcoreEventTrait ucore_e5_r2pcie_traits[];
extern const UcoreEventTrait ucore_e5_r3qpi_traits[];
extern const UcoreEventTrait ucore_e5_sbox_traits[];

#define CBO_COUNTER0_OCCUPANCY  0x1f

/* Rate of the event that mirrors the occupancy of counter 0's queue. */
uint64_t ucore_e5_cbo_mirror_rate(const UcoreBox *box);
/* An event with a filter field counts nothing while the field is 0. */
uint64_t ucore_e5_field_rate(uint64_t rate, uint64_t field);

uint64_t ucore_e5_ubox_rate(const UcoreBox *box, unsigned ctr, unsigned event,
                            unsigned umask, uint64_t rate);
uint64_t ucore_e5_pcu_rate(const UcoreBox *box, unsigned ctr, unsigned event,
                           unsigned umask, uint64_t rate);
uint64_t ucore_e5_ha_rate(const UcoreBox *box, unsigned ctr, unsigned event,
                          unsigned umask, uint64_t rate);
uint64_t ucore_e5_qpi_rate(const UcoreBox *box, unsigned ctr, unsigned event,
                           unsigned umask, uint64_t rate);

/* -------------------------------------------- counters that events may use */

/* v1 and v2 */
extern const UcoreConstraint ucore_e5_cbo_constraints[];
extern const UcoreConstraint ucore_e5_r2pcie_constraints[];
extern const UcoreConstraint ucore_e5_r3qpi_constraints[];

/* -------------------------------------------------------------- box types */

/* the fields that every general control has */
#define CTL_COMMON      (E5_CTL_EV_SEL | E5_CTL_UMASK | E5_CTL_RST | \
                         E5_CTL_EDGE_DET | E5_CTL_EN)
#define PCU_CTL_COMMON  (E5_CTL_EV_SEL | E5_PCU_CTL_OCC_SEL | E5_CTL_RST | \
                         E5_CTL_EDGE_DET | E5_CTL_EN | E5_CTL_THRESH5 | \
                         E5_PCU_CTL_OCC_INVERT | E5_PCU_CTL_OCC_EDGE_DET)

/*
 * A type of all generations. The platform adds nr_max, widths, ctl_legal,
 * ctl_rst, ov_en, invert, the status bits, constraints, and the registers of
 * MSR boxes.
 */
#define CBO_TYPE \
    .name = "cbo", .id = 1, .nr_gp = 4, .box_ctl = true, \
    .thresh = E5_CTL_THRESH, .traits = ucore_e5_cbo_traits
#define UBOX_TYPE \
    .name = "ubox", .id = 2, .nr_gp = 2, .fixed = true, \
    .thresh = E5_CTL_THRESH5, .status_fixed = -1, \
    .clock_event = UCORE_EVENT_FIXED, \
    .traits = ucore_e5_ubox_traits
#define PCU_TYPE \
    .name = "pcu", .id = 3, .nr_gp = 4, .box_ctl = true, \
    .thresh = E5_CTL_THRESH5, .event_ext = E5_CTL_EV_SEL_EXT, \
    .nr_filters = 1, \
    .filter_legal = { E5_PCU_FILTER_BAND0 | E5_PCU_FILTER_BAND1 | \
                      E5_PCU_FILTER_BAND2 | E5_PCU_FILTER_BAND3 }, \
    .traits = ucore_e5_pcu_traits, .filter_rate = ucore_e5_pcu_rate
#define PCI_TYPE(name_, id_, nr_, regs_) \
    .name = #name_, .id = id_, .nr_gp = nr_, .box_ctl = true, \
    .thresh = E5_CTL_THRESH, .regs = regs_, \
    .traits = ucore_e5_##name_##_traits
#define HA_TYPE \
    PCI_TYPE(ha, 4, 4, ucore_e5_ha_regs), \
    .nr_filters = 3, \
    .filter_legal = { E5_HA_ADDRMATCH0_LOW, E5_HA_ADDRMATCH1_HIGH, \
                      E5_HA_OPCODEMATCH_OPC }, \
    .filter_rate = ucore_e5_ha_rate
#define IMC_TYPE \
    PCI_TYPE(imc, 5, 4, ucore_e5_imc_regs), .fixed = true, \
    .status_shift = E5_IMC_STATUS_CTR_SHIFT, .status_fixed = 0
#define IRP_TYPE(regs_) PCI_TYPE(irp, 6, 4, regs_)
#define QPI_TYPE \
    PCI_TYPE(qpi, 7, 4, ucore_e5_pci_regs), \
    .clock_event = 0x14, .event_ext = E5_CTL_EV_SEL_EXT, \
    .filter_rate = ucore_e5_qpi_rate
/* matches on the packets that a port receives */
#define QPI_MATCH \
    E5_QPI_MATCH0_BITS, E5_QPI_MATCH1_BITS, \
    E5_QPI_MATCH0_BITS, E5_QPI_MATCH1_BITS
#define QPI_FILTER_REGS \
    FILTER(E5_QPI_MATCH0, 0), FILTER(E5_QPI_MATCH1, 1), \
    FILTER(E5_QPI_MASK0, 2), FILTER(E5_QPI_MASK1, 3)
#define R2PCIE_TYPE \
    PCI_TYPE(r2pcie, 8, 4, ucore_e5_pci_regs), .clock_event = 0x01
#define R3QPI_TYPE \
    PCI_TYPE(r3qpi, 9, 3, ucore_e5_r3qpi_regs), .clock_event = 0x01

/* ------------------------------------------------- where the boxes report */

#define BITS(...)       .global_bit0 = -1, .global_bit = { __VA_ARGS__ }
#define NO_FIXED_BIT    .global_fixed = -1

/* ---------------------------------------------------------- PCI functions */

#define PMON(slot_, fn, id, type_, i) \
    { .role = UCORE_PCI_PMON, .slot = slot_, .function = fn, \
      .device_id = id, .type = &type_, .instance = i }
#define FILTER_FN(slot_, fn, id, type_, i) \
    { .role = UCORE_PCI_FILTER, .slot = slot_, .function = fn, \
      .device_id = id, .type = &type_, .instance = i }
#define FILLER(slot_, id) \
    { .role = UCORE_PCI_FILLER, .slot = slot_, .device_id = id }
#define SOCKET_MAP_AT(slot_, fn, id) \
    { .role = UCORE_PCI_SOCKET_MAP, .slot = slot_, .function = fn, \
      .device_id = id }
#define SOCKET_MAP(slot_, id) SOCKET_MAP_AT(slot_, 0, id)

/* Function without a box. */
#define OTHER(slot_, fn, id) \
    { .role = UCORE_PCI_OTHER, .slot = slot_, .function = fn, .device_id = id }
#define CAPS(slot_, fn, id) \
    { .role = UCORE_PCI_CAPS, .slot = slot_, .function = fn, .device_id = id }
#define FILLER_ON_IIO(slot_, id) \
    { .role = UCORE_PCI_FILLER, .slot = slot_, .bus = UCORE_BUS_IIO, \
      .device_id = id }
#define PMON_ON_IIO(slot_, fn, id, type_, i) \
    { .role = UCORE_PCI_PMON, .slot = slot_, .function = fn, \
      .bus = UCORE_BUS_IIO, .device_id = id, .type = &type_, .instance = i }

/* ---------------------------------------------------------------- platform */

/* global registers: not on the first generation */
#define E5_GLOBAL(p) \
    .msr_global_ctl = p##_MSR_GLOBAL_CTL, \
    .msr_global_status = p##_MSR_GLOBAL_STATUS, \
    .msr_global_config = p##_MSR_GLOBAL_CONFIG, \
    .frz_all = E5_GLOBAL_CTL_FRZ_ALL, .unfrz_all = E5_GLOBAL_CTL_UNFRZ_ALL, \
    .wk_on_pmi = E5_GLOBAL_CTL_WK_ON_PMI, \
    .core_sel = p##_GLOBAL_CTL_PMI_CORE_SEL

/* the platform adds which bits of BOX_CTL are legal, read back, must be 1 */
#define E5_COMMON \
    E5_COMMON_BITS, \
    .map_cpunodeid = E5_UBOX_CPUNODEID, .map_gidnidmap = E5_UBOX_GIDNIDMAP
#define E5_COMMON_BITS \
    .box_rst_ctrl = E5_BOX_CTL_RST_CTRL, \
    .box_rst_ctrs = E5_BOX_CTL_RST_CTRS, .box_frz = E5_BOX_CTL_FRZ, \
    .ctl_en = E5_CTL_EN, .fixed_en = E5_FIXED_CTL_EN, \
    .ctl_ev_sel = E5_CTL_EV_SEL, .ctl_umask = E5_CTL_UMASK, \
    .ctl_edge = E5_CTL_EDGE_DET

/* MSRs that count: some core in C3, in C6 */
#define E5_FREE_RUNNING { 0x3fc, 300000000 }, { 0x3fd, 500000000 }

#endif
