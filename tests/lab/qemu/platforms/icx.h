/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Common definitions of Ice Lake-SP and Snow Ridge in addition to skx.h. */
#ifndef UCORE_PLATFORMS_ICX_H
#define UCORE_PLATFORMS_ICX_H

#include "skx.h"

extern const UcoreReg ucore_icx_m2m_regs[];
extern const UcoreConstraint ucore_icx_cha_constraints[];
extern const UcoreConstraint ucore_icx_iio_constraints[];
extern const UcoreConstraint ucore_icx_m2pcie_constraints[];
extern const UcoreEventTrait ucore_icx_imc_traits[];

uint64_t ucore_icx_cha_rate(const UcoreBox *box, unsigned ctr, unsigned event,
                            unsigned umask, uint64_t rate);

/* -------------------------------------------------------------- box types */

#define CHA_EXT             GENMASK_ULL(57, 32)
#define ICX_IIO_MASKS       GENMASK_ULL(50, 36) /* channels in 47:36, classes above */
#define M2M_EXT             GENMASK_ULL(39, 32)

/* L's format has ten bits of the thread, its mask nine */
#define ICX_CHA \
    THRESH8, .umask_ext = CHA_EXT, \
    .nr_filters = 1, .filter_legal = { GENMASK(9, 0) }, \
    .constraints = ucore_icx_cha_constraints, \
    .filter_rate = ucore_icx_cha_rate
#define ICX_IIO \
    .thresh = SKX_IIO_THRESH, .umask_ext = ICX_IIO_MASKS, \
    .constraints = ucore_icx_iio_constraints
#define ICX_M2PCIE \
    THRESH8, .constraints = ucore_icx_m2pcie_constraints
#define ICX_M2M \
    THRESH8, .umask_ext = M2M_EXT, .regs = ucore_icx_m2m_regs

/* a channel in memory; fixed counter: half the clock of the DRAM */
#define ICX_IMC_REGS \
    BOX_CTL(0x0), LONG_CTRS_4(0x8), CTR(0x38, 4), CTL(0x40, 0), CTL(0x44, 1), \
    CTL(0x48, 2), CTL(0x4c, 3), CTL(0x54, 4)
#define ICX_IMC(max_) \
    .name = "imc", .id = 5, .nr_gp = 4, .fixed = true, .nr_max = max_, \
    .width = HSWEP_WIDTH, .fixed_width = HSWEP_WIDTH, .box_ctl = true, \
    .ctl_rst = COUNTER_RESET, .fixed_rst = FIXED_RESET, \
    .thresh = THRESHOLD, .invert = COMPARE_INVERT, \
    .traits = ucore_icx_imc_traits

/* ---------------------------------------------------------- PCI functions */

#define ICX_MAPS(ubox) \
    SOCKET_MAP(0, ubox), \
    FILLER(0, ubox), \
    { .role = UCORE_PCI_IMC_MAP, .slot = 0, .function = 1, \
      .device_id = 0x3451 }

/* a stack's root bus is the IIO bus, another's that of the uncore */
#define ICX_STACKS(other_) \
    { .role = UCORE_PCI_STACK, .bus = UCORE_BUS_IIO, .slot = 6, \
      .device_id = 0x09a2, .instance = 0 }, \
    { .role = UCORE_PCI_STACK, .slot = 16, .device_id = 0x09a2, \
      .instance = other_ }

/* --------------------------------------------------------------- platform */

#define ICX_IMC_AT(controllers_, channels_, persistent_) \
    .imc = { .controllers = controllers_, .channels = channels_, \
             .channel = 0x22800, .channel_stride = 0x4000, \
             .persistent = persistent_ }

#endif
