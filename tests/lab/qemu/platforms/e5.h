/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Common definitions of the Xeon E5-2600 generations.
 *
 * The file of a platform defines the boxes, their addresses and widths, and the
 * legal bits of its manual. This file has the bits and offsets that the
 * generations share.
 *
 * The numbers are those of the register tables of 329468-002 and 327043-001.
 * They are repeated here independently of the driver's headers, so that a
 * misread value on one side is detected.
 */
#ifndef UCORE_PLATFORMS_E5_H
#define UCORE_PLATFORMS_E5_H

#include "../model.h"

/* ------------------------------------------------------ bits of registers */

/* control of a counter */
#define EVENT_SELECT        0x000000ff
#define UNIT_MASK           0x0000ff00
#define QUEUE_RESET         0x00010000  /* HA of v2 */
#define COUNTER_RESET       0x00020000
#define EDGE_DETECT         0x00040000
#define THREAD_FILTER       0x00080000  /* C-Box and its successors */
#define OVERFLOW_ENABLE     0x00100000
#define EVENT_BIT_8         0x00200000  /* QPI, PCU */
#define COUNTER_ENABLE      0x00400000
#define COMPARE_INVERT      0x00800000  /* not on v2 */
#define THRESHOLD           0xff000000
#define THRESHOLD_5         0x1f000000  /* UBox, PCU */

/* the PCU has these bits instead of a umask and the upper threshold */
#define OCCUPANCY_OF        0x0000c000  /* cores in C0, C3, C6 */
#define OCCUPANCY_INVERT    0x40000000
#define OCCUPANCY_EDGE      0x80000000

/* control of a fixed counter */
#define FIXED_RESET         0x00080000
#define FIXED_OVERFLOW      0x00100000
#define FIXED_ENABLE        0x00400000

/* control of a box */
#define BOX_RESET_CONTROLS  0x00001
#define BOX_RESET_COUNTERS  0x00002
#define BOX_FREEZE          0x00100
#define BOX_FREEZE_ENABLE   0x10000
#define BOX_OVERFLOW_ENABLE 0x20000

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

/* PCI boxes, the same on all generations */
#define PCI_CTL(i)      CTL(0xd8 + 4 * (i), i)
#define PCI_CTR(i)      CTR(0xa0 + 8 * (i), i)
#define PCI_CTLS        PCI_CTL(0), PCI_CTL(1), PCI_CTL(2), PCI_CTL(3)
#define PCI_CTRS        PCI_CTR(0), PCI_CTR(1), PCI_CTR(2), PCI_CTR(3)
#define PCI_BOX_REGS    BOX_CTL(0xf4), BOX_STATUS(0xf8)

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
#define CTL_COMMON      (EVENT_SELECT | UNIT_MASK | COUNTER_RESET | \
                         EDGE_DETECT | COUNTER_ENABLE)
#define PCU_CTL_COMMON  (EVENT_SELECT | OCCUPANCY_OF | COUNTER_RESET | \
                         EDGE_DETECT | COUNTER_ENABLE | THRESHOLD_5 | \
                         OCCUPANCY_INVERT | OCCUPANCY_EDGE)

/*
 * A type of all generations. The platform adds nr_max, widths, ctl_legal,
 * ctl_rst, ov_en, invert, the status bits, constraints, and the registers of
 * MSR boxes.
 */
#define CBO_TYPE \
    .name = "cbo", .id = 1, .nr_gp = 4, .box_ctl = true, \
    .thresh = THRESHOLD, .traits = ucore_e5_cbo_traits
#define UBOX_TYPE \
    .name = "ubox", .id = 2, .nr_gp = 2, .fixed = true, \
    .thresh = THRESHOLD_5, .status_fixed = -1, \
    .clock_event = UCORE_EVENT_FIXED, \
    .traits = ucore_e5_ubox_traits
#define PCU_TYPE \
    .name = "pcu", .id = 3, .nr_gp = 4, .box_ctl = true, \
    .thresh = THRESHOLD_5, .event_ext = EVENT_BIT_8, \
    /* a threshold of the frequency in each byte, for events 0bh to 0eh */ \
    .nr_filters = 1, .filter_legal = { 0xffffffff }, \
    .traits = ucore_e5_pcu_traits, .filter_rate = ucore_e5_pcu_rate
#define PCI_TYPE(name_, id_, nr_, regs_) \
    .name = #name_, .id = id_, .nr_gp = nr_, .box_ctl = true, \
    .thresh = THRESHOLD, .regs = regs_, \
    .traits = ucore_e5_##name_##_traits
#define HA_TYPE \
    PCI_TYPE(ha, 4, 4, ucore_e5_ha_regs), \
    /* address bits 31:6 and 45:32, six bits of opcode */ \
    .nr_filters = 3, .filter_legal = { 0xffffffc0, 0x3fff, 0x3f }, \
    .filter_rate = ucore_e5_ha_rate
#define IMC_TYPE \
    PCI_TYPE(imc, 5, 4, ucore_e5_imc_regs), .fixed = true, \
    .status_fixed = 0, .status_shift = 1
#define IRP_TYPE(regs_) PCI_TYPE(irp, 6, 4, regs_)
#define QPI_TYPE \
    PCI_TYPE(qpi, 7, 4, ucore_e5_pci_regs), \
    .clock_event = 0x14, .event_ext = EVENT_BIT_8, \
    .filter_rate = ucore_e5_qpi_rate
/*
 * two matches on the packets that a port receives, then their masks. The first:
 * upper bit of the requester, destination, class, opcode, virtual network; the
 * second: data state, lower bits of the requester
 */
#define QPI_MATCH       0x8003fff8, 0x000f000f, 0x8003fff8, 0x000f000f
#define QPI_FILTER_REGS \
    FILTER(0x228, 0), FILTER(0x22c, 1), FILTER(0x238, 2), FILTER(0x23c, 3)
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

/* fields of the global control: not on the first generation */
#define E5_GLOBAL \
    .frz_all = 0x80000000, .wk_on_pmi = 0x40000000, .unfrz_all = 0x20000000

/* the platform adds which bits of BOX_CTL are legal, read back, must be 1 */
#define E5_COMMON \
    E5_COMMON_BITS, \
    .map_cpunodeid = 0x40, .map_gidnidmap = 0x54
#define E5_COMMON_BITS \
    .box_rst_ctrl = BOX_RESET_CONTROLS, \
    .box_rst_ctrs = BOX_RESET_COUNTERS, .box_frz = BOX_FREEZE, \
    .ctl_en = COUNTER_ENABLE, .fixed_en = FIXED_ENABLE, \
    .ctl_ev_sel = EVENT_SELECT, .ctl_umask = UNIT_MASK, \
    .ctl_edge = EDGE_DETECT

/* MSRs that count: some core in C3, in C6 */
#define E5_FREE_RUNNING { 0x3fc, 300000000 }, { 0x3fd, 500000000 }

#endif
