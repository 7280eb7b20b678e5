/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Snow Ridge: the boxes, their addresses and their bits. The global registers
 * and the route of overflows are undocumented. Therefore there are none here,
 * and overflows are lost.
 *
 * The numbers are repeated here independently of the driver's headers, so that
 * a misread value on one side is detected.
 */
#include "icx.h"

/* -------------------------------------------------------------- registers */

#define SNR_MSR_UBOX                0x1f91

static const UcoreReg cha_regs[] = {
    BOX_CTL(0x0), CTLS_4(0x1), FILTER(0x5, 0), BOX_STATUS(0x7), CTRS_4(0x8),
    UCORE_REGS_END
};
static const UcoreReg irp_regs[] = {
    BOX_CTL(0x0), CTRS_2(0x1), BOX_STATUS(0x7), CTLS_2(0x8), UCORE_REGS_END
};
/* the one filter of two that a kernel uses */
static const UcoreReg pcu_regs[] = {
    BOX_CTL(0x0), CTLS_4(0x1), CTRS_4(0x8), FILTER(0xc, 0), UCORE_REGS_END
};
static const UcoreReg ubox_regs[] = {
    CTLS_2(0x0), CTL(0x2, 2), CTR(0x3, 2), CTRS_2(0x7), UCORE_REGS_END
};
static const UcoreReg pcie3_regs[] = {
    BOX_CTL(0x4e0), LONG_CTRS_4(0x4e8), WIDE_CTLS_4(0x508), UCORE_REGS_END
};
static const UcoreReg imc_regs[] = { ICX_IMC_REGS, UCORE_REGS_END };

static const UcoreEventTrait pcie3_traits[] = {
    CLOCK(0x01, 1300000000), UCORE_TRAITS_END
};

/* -------------------------------------------------------------- box types */

#define SNR_TYPE    SKX_PLAIN_TYPE
/* a status that nothing sets */
#define IDLE_STATUS(nr_) \
    .box_status = true, .status_legal = GENMASK((nr_) - 1, 0)

static const UcoreBoxType cha = {
    SNR_TYPE(cha, 11, 4, 6, 0x00, THREAD_FILTER | CHA_EXT), ICX_CHA,
    IDLE_STATUS(4), .regs = cha_regs,
};
static const UcoreBoxType iio = {
    SNR_TYPE(iio, 12, 4, 5, 0x01, SKX_IIO_THRESH | ICX_IIO_MASKS), ICX_IIO,
    IDLE_STATUS(4), .regs = ucore_skx_iio_regs,
};
static const UcoreBoxType irp = {
    SNR_TYPE(irp, 6, 2, 5, 0x01, 0), THRESH8, IDLE_STATUS(2), .regs = irp_regs,
};
static const UcoreBoxType m2pcie = {
    SNR_TYPE(m2pcie, 16, 4, 5, 0x01, 0), ICX_M2PCIE, IDLE_STATUS(4),
    .regs = ucore_skx_iio_regs,
};
static const UcoreBoxType m2m = {
    SNR_TYPE(m2m, 13, 4, 4, 0x00, M2M_EXT), ICX_M2M, IDLE_STATUS(4),
};
/* thresholds of eight bits */
static const UcoreBoxType ubox = {
    .name = "ubox", .id = 2, .nr_gp = 2, .fixed = true, .nr_max = 1,
    .width = 48, .fixed_width = 48, .ctl_rst = COUNTER_RESET,
    .ctl_legal = HSWEP_CTL, .fixed_legal = FIXED_ENABLE,
    THRESH8, .invert = COMPARE_INVERT, .clock_event = UCORE_EVENT_FIXED,
    .status_fixed = -1, .traits = ucore_e5_ubox_traits,
    .regs = ubox_regs, .filter_rate = ucore_e5_ubox_rate,
};
static const UcoreBoxType pcu = {
    PCU_TYPE, .nr_max = 1, .width = 48, .ctl_rst = COUNTER_RESET,
    .invert = COMPARE_INVERT, .ctl_legal = PCU_CTL_COMMON | COMPARE_INVERT,
    .regs = pcu_regs,
};
static const UcoreBoxType imc = {
    ICX_IMC(4), .ctl_legal = HSWEP_CTL,
    .fixed_legal = FIXED_RESET | FIXED_ENABLE,
    .status_fixed = -1, .regs = imc_regs,
};
/* Root port with the fields of an IIO stack of Skylake-SP. */
static const UcoreBoxType pcie3 = {
    .name = "pcie3", .id = 17, .nr_gp = 4, .nr_max = 1, .width = 48,
    .ctl_rst = COUNTER_RESET, .box_ctl = true, .clock_event = 0x01,
    .ctl_legal = HSWEP_CTL | SKX_IIO_THRESH | SKX_IIO_MASKS,
    .thresh = SKX_IIO_THRESH, .invert = COMPARE_INVERT,
    .umask_ext = SKX_IIO_MASKS, .traits = pcie3_traits, .regs = pcie3_regs,
};

/* ------------------------------------------------------ where the boxes are */

#define NOWHERE     .global_bit0 = -1, .global_bit = { -1, -1, -1, -1, -1, -1 }, \
                    NO_FIXED_BIT

static const UcoreBoxSite boxes[] = {
    { .type = &cha, .msr = 0x1c00, .msr_stride = 0x10, NOWHERE },
    { .type = &iio, .msr = 0x1e00, .msr_stride = 0x10, NOWHERE },
    { .type = &irp, .msr = 0x1ea0, .msr_stride = 0x10, NOWHERE },
    { .type = &m2pcie, .msr = 0x1e50, .msr_stride = 0x10, NOWHERE },
    { .type = &ubox, .msr = SNR_MSR_UBOX, NOWHERE },
    { .type = &pcu, .msr = 0x1ef0, NOWHERE },
    { .type = &imc, .in_memory = true, NOWHERE },
    { .type = &m2m, NOWHERE },
    { .type = &pcie3, NOWHERE }, { }
};

static const UcorePciSite pci[] = {
    ICX_MAPS(0x3460),
    ICX_STACKS(4),
    PMON(12, 0, 0x344a, m2m, 0),
    PMON(13, 0, 0x344a, m2m, 1),
    PMON(14, 0, 0x344a, m2m, 2),
    PMON(15, 0, 0x344a, m2m, 3),
    PMON_ON_IIO(4, 0, 0x334a, pcie3, 0), { }
};

/* --------------------------------------------------------------- platform */

const UcorePlatform ucore_snr = {
    E5_COMMON_BITS, SKX_BOX_CTL, SKX_FREE_RUNNING,
    .msrs = { { 0x700, 0x71f }, { 0x1c00, 0x1fff } },
    ICX_IMC_AT(2, 2, false),
    .iio_free = { .clock = 0x1eac, .clock_stride = 0x10,
                  .in = 0x1f00, .out = 0x1f08, .stack_stride = 0x10,
                  .port_stride = 1, .ports = 8, .width = 48 },
    .boxes = boxes, .pci = pci,
};
