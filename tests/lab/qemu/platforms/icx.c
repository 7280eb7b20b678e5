/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ice Lake-SP and Ice Lake-D: boxes, their addresses and valid bits.
 *
 * The numbers are independent of the driver's headers, so that a test fails if
 * one side has misread the manual.
 */
#include "icx.h"

/* ------------------------------------------------------------------- MSRs */

static const uint16_t cha_msrs[] = {
    0xe00, 0xe0e, 0xe1c, 0xe2a, 0xe38, 0xe46, 0xe54, 0xe62, 0xe70,
    0xe7e, 0xe8c, 0xe9a, 0xea8, 0xeb6, 0xec4, 0xed2, 0xee0, 0xeee,
    0xf0a, 0xf18, 0xf26, 0xf34, 0xf42, 0xf50, 0xf5e, 0xf6c, 0xf7a, 0xf88,
    0xf96, 0xfa4, 0xfb2, 0xfc0, 0xfce, 0xfdc,
    0xb60, 0xb6e, 0xb7c, 0xb8a, 0xb98, 0xba6,
};
static const uint16_t iio_msrs[] = { 0xa50, 0xa70, 0xa90, 0xae0, 0xb00, 0xb20 };
static const uint16_t irp_msrs[] = { 0xa4a, 0xa6a, 0xa8a, 0xada, 0xafa, 0xb1a };
static const uint16_t m2pcie_msrs[] = {
    0xa40, 0xa60, 0xa80, 0xad0, 0xaf0, 0xb10
};
static const uint16_t clock_msrs[] = {
    0xa55, 0xa75, 0xa95, 0xae5, 0xb05, 0xb25
};
static const uint16_t in_msrs[] = { 0xaa0, 0xab0, 0xac0, 0xb30, 0xb40, 0xb50 };

static const UcoreReg cha_regs[] = {
    BOX_CTL(0x0), CTLS_4(0x1), FILTER(0x5, 0), BOX_STATUS(0x7), CTRS_4(0x8),
    UCORE_REGS_END
};
static const UcoreReg irp_regs[] = {
    BOX_CTL(0x0), CTRS_2(0x1), CTLS_2(0x3), BOX_STATUS(0x5), UCORE_REGS_END
};
static const UcoreReg m2pcie_regs[] = {
    BOX_CTL(0x0), CTRS_4(0x1), BOX_STATUS(0x5), CTLS_4(0x6), UCORE_REGS_END
};

/* ------------------------------------------------ config space and memory */

static const UcoreReg upi_regs[] = {
    BOX_CTL(0x318), LONG_CTRS_4(0x320), WIDE_CTLS_4(0x350), BOX_STATUS(0x37c),
    UCORE_REGS_END
};
static const UcoreReg m3upi_regs[] = {
    BOX_CTL(0xa0), LONG_CTRS_4(0xa8), CTL(0xd8, 0), CTL(0xdc, 1), CTL(0xe0, 2),
    CTL(0xe4, 3), BOX_STATUS(0xf8), UCORE_REGS_END
};
const UcoreReg ucore_icx_m2m_regs[] = {
    BOX_CTL(0x438), LONG_CTRS_4(0x440), WIDE_CTLS_4(0x468), BOX_STATUS(0x4a8),
    UCORE_REGS_END
};
static const UcoreReg imc_regs[] = {
    ICX_IMC_REGS, BOX_STATUS(0x5c), UCORE_REGS_END
};

/* -------------------------------------------- meaning of events and fields */

/* The filters of Skylake-SP, except the thread, are an extended umask */
uint64_t ucore_icx_cha_rate(const UcoreBox *box, unsigned ctr, unsigned event,
                            unsigned umask, uint64_t rate)
{
    return box->ctr[ctr].ctl & THREAD_FILTER
           ? ucore_share(rate, 1 + box->filter[0]) : rate;
}

const UcoreConstraint ucore_icx_cha_constraints[] = {
    { 0x11, 0x11, 0x1 }, { 0x36, 0x36, 0x1 }, { }
};
const UcoreConstraint ucore_icx_iio_constraints[] = {
    { 0x02, 0x03, 0x3 }, { 0x83, 0x83, 0x3 }, { 0x88, 0x88, 0xc },
    { 0xc0, 0xc0, 0xc }, { 0xc5, 0xc5, 0xc }, { 0xd5, 0xd5, 0xc }, { }
};
const UcoreConstraint ucore_icx_m2pcie_constraints[] = {
    { 0x14, 0x14, 0x3 }, { 0x23, 0x23, 0x3 }, { 0x2d, 0x2d, 0x3 }, { }
};
static const UcoreConstraint m3upi_constraints[] = {
    { 0x1c, 0x1f, 0x1 }, { 0x40, 0x40, 0x7 }, { 0x4e, 0x50, 0x7 }, { }
};

const UcoreEventTrait ucore_icx_imc_traits[] = {
    CLOCK(0x00, 1600000000), CLOCK(UCORE_EVENT_FIXED, 800000000),
    DEPTH(0x80, 22), DEPTH(0x81, 22), DEPTH(0x82, 32), DEPTH(0x83, 32),
    UCORE_TRAITS_END
};

/* -------------------------------------------------------------- box types */

#define UPI_EXT     GENMASK_ULL(55, 32)

static const UcoreBoxType cha = {
    SKX_TYPE(cha, 11, 4, 40, 0x00, THREAD_FILTER | CHA_EXT), ICX_CHA,
    .regs = cha_regs,
};
static const UcoreBoxType iio = {
    SKX_TYPE(iio, 12, 4, 6, 0x01, SKX_IIO_THRESH | ICX_IIO_MASKS), ICX_IIO,
    .regs = ucore_skx_iio_regs,
};
static const UcoreBoxType irp = {
    SKX_TYPE(irp, 6, 2, 6, 0x01, 0), THRESH8, .regs = irp_regs,
};
static const UcoreBoxType m2pcie = {
    SKX_TYPE(m2pcie, 16, 4, 6, 0x01, 0), ICX_M2PCIE, .regs = m2pcie_regs,
};
static const UcoreBoxType m2m = {
    SKX_TYPE(m2m, 13, 4, 4, 0x00, M2M_EXT), ICX_M2M,
};
static const UcoreBoxType upi = {
    SKX_TYPE(upi, 14, 4, 3, 0x01, UPI_EXT), THRESH8, .umask_ext = UPI_EXT,
    .regs = upi_regs,
};
static const UcoreBoxType m3upi = {
    SKX_TYPE(m3upi, 15, 4, 3, 0x01, 0), THRESH8, .regs = m3upi_regs,
    .constraints = m3upi_constraints,
};
static const UcoreBoxType imc = {
    ICX_IMC(12), .ctl_legal = HSWEP_CTL | HSWEP_OV, .ov_en = HSWEP_OV,
    .fixed_legal = FIXED_RESET | FIXED_OVERFLOW | FIXED_ENABLE,
    .box_status = true, .status_legal = GENMASK(4, 0), .status_shift = 1,
    .status_fixed = 0, .regs = imc_regs,
};

/* ------------------------------------------------- where the boxes report */

/* the bits are undocumented: all are guesses, over both words; README.md */
static const UcoreBoxSite boxes[] = {
    { .type = &cha, .msrs = cha_msrs, .global_bit0 = 3, NO_FIXED_BIT },
    { .type = &iio, .msrs = iio_msrs, .global_bit0 = 64, NO_FIXED_BIT },
    { .type = &irp, .msrs = irp_msrs, .global_bit0 = 64, NO_FIXED_BIT },
    { .type = &m2pcie, .msrs = m2pcie_msrs, .global_bit0 = 70, NO_FIXED_BIT },
    SKX_SYSTEM_SITES,
    { .type = &imc, .in_memory = true,
      BITS(43, 43, 43, 44, 44, 44, 45, 45, 45, 46, 46, 46), NO_FIXED_BIT },
    { .type = &m2m, .global_bit0 = 47, NO_FIXED_BIT },
    { .type = &upi, .global_bit0 = 51, NO_FIXED_BIT },
    { .type = &m3upi, .global_bit0 = 54, NO_FIXED_BIT }, { }
};

/* ---------------------------------------------------------- PCI functions */

/* The functions of the PCU are on the bus above that of all others. */
static const UcorePciSite pci[] = {
    ICX_MAPS(0x3450),
    ICX_STACKS(3),
    FILLER(2, 0x3440), PMON(2, 1, 0x3441, upi, 0),
    FILLER(3, 0x3440), PMON(3, 1, 0x3441, upi, 1),
    FILLER(4, 0x3440), PMON(4, 1, 0x3441, upi, 2),
    FILLER(5, 0x3445), PMON(5, 1, 0x3446, m3upi, 0),
    FILLER(6, 0x3445), PMON(6, 1, 0x3446, m3upi, 1),
    FILLER(7, 0x3445), PMON(7, 1, 0x3446, m3upi, 2),
    PMON(12, 0, 0x344a, m2m, 0),
    PMON(13, 0, 0x344a, m2m, 1),
    PMON(14, 0, 0x344a, m2m, 2),
    PMON(15, 0, 0x344a, m2m, 3),
    { .role = UCORE_PCI_FILLER, .bus = UCORE_BUS_ABOVE, .slot = 30,
      .device_id = 0x3458 },
    { .role = UCORE_PCI_CAPS, .bus = UCORE_BUS_ABOVE, .slot = 30,
      .function = 3, .device_id = 0x345b }, { }
};

/* --------------------------------------------------------------- platform */

const UcorePlatform ucore_icx = {
    E5_COMMON_BITS, SKX_MSRS, SKX_GLOBAL(60), SKX_BOX_CTL, SKX_FREE_RUNNING,
    SKX_LINKS,
    .msr_global_status = 0x70e, .global_status_words = 2,
    .status_doubtful = { 3, 127 },
    .capid6 = 0x9c, .capid6_slices = UINT64_MAX,
    ICX_IMC_AT(4, 3, true),
    .iio_free = { .clocks = clock_msrs, .ins = in_msrs,
                  .in = 0xaa0, .out = 0xaa8, .port_stride = 1, .ports = 8,
                  .width = 48 },
    .boxes = boxes, .pci = pci,
};
