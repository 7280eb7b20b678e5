/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Common definitions of Xeon E5-2600 v3, v4 and D-1500: the same registers at
 * the same MSRs and offsets, and PCI ids that differ in the first digit.
 *
 * The numbers are repeated here independently of the driver's headers, so that
 * a misread value on one side is detected.
 */
#ifndef UCORE_PLATFORMS_HSWEP_H
#define UCORE_PLATFORMS_HSWEP_H

#include "e5.h"

/* ------------------------------------------------------------------- MSRs */

#define HSWEP_MSR_UBOX_FIXED_CTL    0x703
#define HSWEP_MSR_UBOX_FIXED_CTR    0x704
#define HSWEP_MSR_UBOX_CTL0         0x705
#define HSWEP_MSR_UBOX_FILTER       0x707
#define HSWEP_MSR_UBOX_STATUS       0x708
#define HSWEP_MSR_UBOX_CTR0         0x709

#define HSWEP_MSR_PCU_BOX_CTL       0x710
#define HSWEP_MSR_PCU_CTL0          0x711
#define HSWEP_MSR_PCU_FILTER        0x715
#define HSWEP_MSR_PCU_STATUS        0x716
#define HSWEP_MSR_PCU_CTR0          0x717

#define HSWEP_MSR_SBOX              0x720
#define HSWEP_MSR_SBOX_STRIDE       0xa
#define HSWEP_MSR_CBO               0xe00
#define HSWEP_MSR_CBO_STRIDE        0x10

/*
 * Registers of the UBox and the PCU. Argument @p is the prefix of a platform's
 * MSRs, for example HSWEP. The UBox has no BOX_CTL. It begins with the fixed
 * control.
 */
#define UBOX_AT(p, reg) (p##_MSR_UBOX_##reg - p##_MSR_UBOX_FIXED_CTL)
#define UBOX_REGS(p) \
    CTLS_2(UBOX_AT(p, CTL0)), CTL(0, 2), \
    CTRS_2(UBOX_AT(p, CTR0)), CTR(UBOX_AT(p, FIXED_CTR), 2), \
    BOX_STATUS(UBOX_AT(p, STATUS))

#define PCU_AT(p, reg)  (p##_MSR_PCU_##reg - p##_MSR_PCU_BOX_CTL)
#define PCU_REGS(p) \
    BOX_CTL(0), CTLS_4(PCU_AT(p, CTL0)), FILTER(PCU_AT(p, FILTER), 0), \
    BOX_STATUS(PCU_AT(p, STATUS)), CTRS_4(PCU_AT(p, CTR0))

extern const UcoreReg ucore_hswep_cbo_regs[];
extern const UcoreReg ucore_hswep_sbox_regs[];
extern const UcoreReg ucore_hswep_ubox_regs[];
extern const UcoreReg ucore_hswep_pcu_regs[];
extern const UcoreReg ucore_hswep_qpi_filter_regs[];

/* ---------------------------------------------------------------- filters */

#define HSWEP_CBO_FILTER0_TID       GENMASK(5, 0)
#define HSWEP_CBO_FILTER0_LINK      GENMASK(9, 6)
#define HSWEP_CBO_FILTER0_STATE     GENMASK(23, 17)
#define HSWEP_CBO_FILTER1_NID       GENMASK(15, 0)
#define HSWEP_CBO_FILTER1_OPC       GENMASK(31, 20)     /* and c6, nc, isoc */
#define HSWEP_UBOX_FILTER_TID       GENMASK(5, 0)       /* core, thread */

uint64_t ucore_hswep_cbo_rate(const UcoreBox *box, unsigned ctr,
                              unsigned event, unsigned umask, uint64_t rate);
uint64_t ucore_hswep_ubox_rate(const UcoreBox *box, unsigned ctr,
                               unsigned event, unsigned umask, uint64_t rate);

/* -------------------------------------------------------------- box types */

#define HSWEP_WIDTH                 48
#define HSWEP_CTL                   (CTL_COMMON | COMPARE_INVERT | THRESHOLD)
#define HSWEP_OV                    OVERFLOW_ENABLE

#define HSWEP_BOX(nr_) \
    .width = HSWEP_WIDTH, .ctl_rst = COUNTER_RESET, .invert = COMPARE_INVERT, \
    .box_status = true, .status_legal = GENMASK((nr_) - 1, 0)

/* C-Box and SBOX have a status and, as it seems, no ov_en */
#define HSWEP_CBO(nr_max_, constraints_) \
    CBO_TYPE, .nr_max = nr_max_, HSWEP_BOX(4), \
    .ctl_legal = HSWEP_CTL | THREAD_FILTER, .ov_en_doubtful = HSWEP_OV, \
    .nr_filters = 2, \
    .filter_legal = { \
        HSWEP_CBO_FILTER0_TID | HSWEP_CBO_FILTER0_LINK | \
            HSWEP_CBO_FILTER0_STATE, \
        HSWEP_CBO_FILTER1_NID | HSWEP_CBO_FILTER1_OPC, \
    }, \
    .regs = ucore_hswep_cbo_regs, .constraints = constraints_, \
    .filter_rate = ucore_hswep_cbo_rate
#define HSWEP_SBOX(width_) \
    .name = "sbox", .id = 10, .nr_gp = 4, .nr_max = 4, .box_ctl = true, \
    .width = width_, .ctl_legal = HSWEP_CTL | THREAD_FILTER, \
    .ctl_rst = COUNTER_RESET, .ov_en_doubtful = HSWEP_OV, \
    .thresh = THRESHOLD, .invert = COMPARE_INVERT, \
    .box_status = true, .status_legal = GENMASK(3, 0), \
    .box_ctl_stepwise = true, \
    .regs = ucore_hswep_sbox_regs, .traits = ucore_e5_sbox_traits
#define HSWEP_UBOX \
    UBOX_TYPE, .nr_max = 1, HSWEP_BOX(2), .fixed_width = HSWEP_WIDTH, \
    .ctl_legal = CTL_COMMON | COMPARE_INVERT | THRESHOLD_5 | HSWEP_OV, \
    .fixed_legal = FIXED_OVERFLOW | FIXED_ENABLE, .ov_en = HSWEP_OV, \
    .nr_filters = 1, .filter_legal = { HSWEP_UBOX_FILTER_TID }, \
    .regs = ucore_hswep_ubox_regs, .filter_rate = ucore_hswep_ubox_rate
#define HSWEP_PCU \
    PCU_TYPE, .nr_max = 1, HSWEP_BOX(4), \
    .ctl_legal = PCU_CTL_COMMON | COMPARE_INVERT | EVENT_BIT_8 | \
                 HSWEP_OV, \
    .ov_en = HSWEP_OV, .regs = ucore_hswep_pcu_regs
#define HSWEP_HA(nr_max_) \
    HA_TYPE, .nr_max = nr_max_, HSWEP_BOX(4), \
    .ctl_legal = HSWEP_CTL | HSWEP_OV, .ov_en = HSWEP_OV
/* the fixed control's bit 23 is legal and does nothing that is known */
#define HSWEP_IMC(nr_max_) \
    IMC_TYPE, .nr_max = nr_max_, HSWEP_BOX(5), .fixed_width = HSWEP_WIDTH, \
    .ctl_legal = HSWEP_CTL | HSWEP_OV, .ov_en = HSWEP_OV, \
    .fixed_legal = BIT(23) | FIXED_RESET | FIXED_OVERFLOW | \
                   FIXED_ENABLE, \
    .fixed_rst = FIXED_RESET
#define HSWEP_IRP \
    IRP_TYPE(ucore_e5_pci_regs), .nr_max = 1, HSWEP_BOX(4), \
    .ctl_legal = HSWEP_CTL
#define HSWEP_QPI \
    QPI_TYPE, .nr_max = 3, HSWEP_BOX(4), \
    .ctl_legal = HSWEP_CTL | HSWEP_OV | EVENT_BIT_8, \
    .ov_en = HSWEP_OV, \
    /* the same of the packets that it sends; no event is known to use it */ \
    .nr_filters = 8, .filter_legal = { QPI_MATCH, QPI_MATCH }, \
    .filter_regs = ucore_hswep_qpi_filter_regs
#define HSWEP_R2PCIE(constraints_) \
    R2PCIE_TYPE, .nr_max = 1, HSWEP_BOX(4), \
    .ctl_legal = HSWEP_CTL | HSWEP_OV, .ov_en = HSWEP_OV, \
    .constraints = constraints_
#define HSWEP_R3QPI(constraints_, width_) \
    R3QPI_TYPE, .nr_max = 3, .width = width_, \
    .ctl_legal = HSWEP_CTL | HSWEP_OV | EVENT_BIT_8, \
    .ctl_rst = COUNTER_RESET, .ov_en = HSWEP_OV, .invert = COMPARE_INVERT, \
    .event_ext = EVENT_BIT_8, \
    .box_status = true, .status_legal = GENMASK(2, 0), \
    .constraints = constraints_

/* ------------------------------------------------- where the boxes report */

/* bits 30 to 33 and those of third ports are guesses; README.md */
#define HSWEP_MSR_SITES \
    { .type = &cbo, .msr = HSWEP_MSR_CBO, .msr_stride = HSWEP_MSR_CBO_STRIDE, \
      .global_bit0 = 3, .global_nr = 18, NO_FIXED_BIT }, \
    { .type = &ubox, .msr = HSWEP_MSR_UBOX_FIXED_CTL, \
      BITS(1), .global_fixed = 0 }, \
    { .type = &pcu, .msr = HSWEP_MSR_PCU_BOX_CTL, BITS(2), NO_FIXED_BIT }
#define HSWEP_SBOX_SITE \
    { .type = &sbox, .msr = HSWEP_MSR_SBOX, \
      .msr_stride = HSWEP_MSR_SBOX_STRIDE, .global_bit0 = 30, NO_FIXED_BIT }
#define HSWEP_MEMORY_SITES(ha, imc) \
    { .type = &ha, .global_bit0 = 21, NO_FIXED_BIT }, \
    { .type = &imc, BITS(23, 23, 23, 23, 24, 24, 24, 24), NO_FIXED_BIT }
#define HSWEP_IO_SITES \
    { .type = &irp, BITS(34), NO_FIXED_BIT }, \
    { .type = &r2pcie, BITS(29), NO_FIXED_BIT }
#define HSWEP_LINK_SITES \
    { .type = &qpi, BITS(25, 26, 26), NO_FIXED_BIT }, \
    { .type = &r3qpi, BITS(27, 28, 28), NO_FIXED_BIT }

/* ---------------------------------------------------------- PCI functions */

/* @id: 0x2f00 or 0x6f00 */
#define HSWEP_SYSTEM_PCI(id) \
    SOCKET_MAP_AT(16, 5, (id) | 0x1e), \
    OTHER(16, 6, (id) | 0x7d), \
    FILLER(16, (id) | 0x1d), \
    FILLER(30, (id) | 0x98), \
    CAPS(30, 3, (id) | 0xc0)
#define HSWEP_HOME0_PCI(id, ha, imc) \
    FILLER(18, (id) | 0xa0), \
    PMON(18, 1, (id) | 0x30, ha, 0), \
    PMON(20, 0, (id) | 0xb0, imc, 0), \
    PMON(20, 1, (id) | 0xb1, imc, 1), \
    FILLER(20, (id) | 0xb2), \
    PMON(21, 0, (id) | 0xb4, imc, 2), \
    PMON(21, 1, (id) | 0xb5, imc, 3), \
    FILLER(21, (id) | 0xb6)
#define HSWEP_HOME1_PCI(id) \
    PMON(18, 5, (id) | 0x38, ha, 1), \
    PMON(23, 0, (id) | 0xd0, imc, 4), \
    PMON(23, 1, (id) | 0xd1, imc, 5), \
    FILLER(23, (id) | 0xd2), \
    PMON(24, 0, (id) | 0xd4, imc, 6), \
    PMON(24, 1, (id) | 0xd5, imc, 7), \
    FILLER(24, (id) | 0xd6)
#define HSWEP_IO_PCI(id) \
    PMON(16, 1, (id) | 0x34, r2pcie, 0), \
    FILLER_ON_IIO(5, (id) | 0x28), \
    PMON_ON_IIO(5, 6, (id) | 0x39, irp, 0)
#define HSWEP_LINK_PCI(id) \
    FILLER(8, (id) | 0x80), \
    PMON(8, 2, (id) | 0x32, qpi, 0), \
    FILTER_FN(8, 6, (id) | 0x86, qpi, 0), \
    FILLER(9, (id) | 0x90), \
    PMON(9, 2, (id) | 0x33, qpi, 1), \
    FILTER_FN(9, 6, (id) | 0x96, qpi, 1), \
    FILLER(10, (id) | 0x40), \
    PMON(10, 2, (id) | 0x3a, qpi, 2), \
    FILLER(11, (id) | 0x81), \
    PMON(11, 1, (id) | 0x36, r3qpi, 0), \
    PMON(11, 2, (id) | 0x37, r3qpi, 1), \
    PMON(11, 5, (id) | 0x3e, r3qpi, 2)

/* --------------------------------------------------------------- platform */

#define HSWEP_COMMON(chop0_sboxes_) \
    .msrs = { { 0x700, 0x747 }, { 0xe00, 0xfff } }, \
    E5_GLOBAL, .core_sel = GENMASK(17, 0), \
    .msr_global_ctl = 0x700, .msr_global_status = 0x701, \
    .msr_global_config = 0x702, \
    .global_status_legal = GENMASK(35, 0), .status_doubtful = { 3, 34 }, \
    E5_COMMON, \
    .box_legal = BOX_RESET_CONTROLS | BOX_RESET_COUNTERS | BOX_FREEZE | \
                 BOX_FREEZE_ENABLE | BOX_OVERFLOW_ENABLE, \
    .box_readable = BOX_FREEZE, \
    .box_frz_en_doubtful = BOX_FREEZE_ENABLE, \
    .box_ov_en_doubtful = BOX_OVERFLOW_ENABLE, \
    .capid4 = 0x94, .capid4_chop = GENMASK(7, 6), \
    .chop0_sboxes = chop0_sboxes_, \
    /* and the package in C2, C3, C6 */ \
    .free_running = { E5_FREE_RUNNING, { 0x60d, 200000000 }, \
                      { 0x3f8, 100000000 }, { 0x3f9, 400000000 } }

#endif
