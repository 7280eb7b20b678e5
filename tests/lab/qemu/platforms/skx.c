/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Skylake-SP, Cascade Lake-SP, Cooper Lake: boxes, their addresses and valid
 * bits. The first two have the same boxes, and Cooper Lake has six links.
 *
 * The numbers are independent of the driver's headers, so that a test fails if
 * one side has misread the manual.
 */
#include "skx.h"

/* ------------------------------------------------------------------- MSRs */

static const UcoreReg cha_regs[] = {
    BOX_CTL(0x0), CTLS_4(0x1), FILTER(0x5, 0), FILTER(0x6, 1),
    BOX_STATUS(0x7), CTRS_4(0x8), UCORE_REGS_END
};
const UcoreReg ucore_skx_iio_regs[] = {
    BOX_CTL(0x0), CTRS_4(0x1), BOX_STATUS(0x7), CTLS_4(0x8), UCORE_REGS_END
};
static const UcoreReg irp_regs[] = {
    BOX_CTL(0x0), CTRS_2(0x1), CTLS_2(0x3), BOX_STATUS(0x7), UCORE_REGS_END
};
static const UcoreReg ubox_regs[] = { UBOX_REGS(SKX), UCORE_REGS_END };
static const UcoreReg pcu_regs[] = { PCU_REGS(SKX), UCORE_REGS_END };

/* --------------------------------------------------------- config space */

static const UcoreReg upi_regs[] = {
    LONG_CTRS_4(0x318), WIDE_CTLS_4(0x350), BOX_CTL(0x378), BOX_STATUS(0x37c),
    UCORE_REGS_END
};
static const UcoreReg m2m_regs[] = {
    LONG_CTRS_4(0x200),
    CTL(0x228, 0), CTL(0x230, 1), CTL(0x238, 2), CTL(0x240, 3),
    BOX_CTL(0x258), BOX_STATUS(0x260), UCORE_REGS_END
};

/* ---------------------------------------------------------------- filters */

#define CHA_LLC_LOOKUP      0x34
#define CHA_TOR_INSERTS     0x35
#define CHA_TOR_OCCUPANCY   0x36
#define CHA_CREDITS         0x38
#define CHA_CREDITS_HELD    0x3b

#define FILTER0_TID         GENMASK(8, 0)
#define FILTER0_LINK        GENMASK(12, 9)
#define FILTER0_STATE       GENMASK(26, 17)
#define FILTER1_ALL_OPC     BIT(3)

/* both pairs select, and an opcode or the bit for all opcodes */
static uint64_t tor_rate(uint32_t f1, uint64_t rate)
{
    uint32_t where = f1 & 3, memory = extract32(f1, 4, 2);
    uint32_t opcodes = extract32(f1, 9, 10) + 3 * extract32(f1, 19, 10);

    if (!where || !memory) {
        return 0;
    }
    if (!(f1 & FILTER1_ALL_OPC)) {
        rate = ucore_e5_field_rate(rate, opcodes);
    }
    return ucore_share(rate, where + 4 * memory + 16 * extract32(f1, 30, 2));
}

static uint64_t cha_rate(const UcoreBox *box, unsigned ctr, unsigned event,
                         unsigned umask, uint64_t rate)
{
    uint32_t f0 = box->filter[0];

    switch (event) {
    case CHA_LLC_LOOKUP:
        rate = ucore_e5_field_rate(rate, (f0 & FILTER0_STATE) >> 17);
        break;
    case CHA_TOR_INSERTS:
    case CHA_TOR_OCCUPANCY:
        rate = tor_rate(box->filter[1], rate);
        break;
    case CHA_CREDITS:
    case CHA_CREDITS_HELD:
        rate = ucore_e5_field_rate(rate, (f0 & FILTER0_LINK) >> 9);
        break;
    }
    if (box->ctr[ctr].ctl & THREAD_FILTER) {
        rate = ucore_share(rate, 1 + (f0 & FILTER0_TID));
    }
    return rate;
}

/* -------------------------------------------------------------- box types */

#define TRAITS(name, ...) \
    const UcoreEventTrait ucore_skx_##name##_traits[] = { \
        __VA_ARGS__, UCORE_TRAITS_END \
    }

TRAITS(cha, CLOCK(0x00, 2400000000), DEPTH(0x11, 20), DEPTH(0x36, 20));
TRAITS(iio, CLOCK(0x01, 1100000000));
TRAITS(irp, CLOCK(0x01, 1200000000));
TRAITS(m2m, CLOCK(0x00, 2250000000));
TRAITS(upi, CLOCK(0x01, 1300000000));
TRAITS(m3upi, CLOCK(0x01, 2100000000));
TRAITS(m2pcie, CLOCK(0x01, 2300000000));

static const UcoreConstraint cha_constraints[] = {
    { 0x11, 0x11, 0x1 }, { 0x36, 0x36, 0x1 }, { 0x3b, 0x3b, 0x1 }, { }
};
static const UcoreConstraint iio_constraints[] = {
    { 0x83, 0x83, 0x3 }, { 0x88, 0x88, 0xc }, { 0x95, 0x95, 0xc },
    { 0xc0, 0xc0, 0xc }, { 0xc5, 0xc5, 0xc }, { 0xd4, 0xd5, 0xc }, { }
};
static const UcoreConstraint m2pcie_constraints[] = {
    { 0x23, 0x23, 0x3 }, { }
};
static const UcoreConstraint m3upi_constraints[] = {
    { 0x1c, 0x1e, 0x1 }, { 0x3c, 0x3c, 0x1 }, { 0x8e, 0x8e, 0x1 }, { }
};

#define UPI_EXT     (GENMASK(55, 32) & ~BIT_ULL(44))

static const UcoreBoxType cha = {
    SKX_TYPE(cha, 11, 4, 28, 0x00, THREAD_FILTER), THRESH8,
    .nr_filters = 2,
    .filter_legal = {
        FILTER0_TID | FILTER0_LINK | FILTER0_STATE,
        GENMASK(31, 30) | GENMASK(28, 9) | GENMASK(5, 3) | GENMASK(1, 0),
    },
    .regs = cha_regs, .constraints = cha_constraints, .filter_rate = cha_rate,
};
static const UcoreBoxType iio = {
    SKX_TYPE(iio, 12, 4, 6, 0x01, SKX_IIO_THRESH | SKX_IIO_MASKS),
    .thresh = SKX_IIO_THRESH, .umask_ext = SKX_IIO_MASKS,
    .regs = ucore_skx_iio_regs, .constraints = iio_constraints,
};
static const UcoreBoxType irp = {
    SKX_TYPE(irp, 6, 2, 6, 0x01, 0), THRESH8, .regs = irp_regs,
};
const UcoreBoxType ucore_skx_ubox = {
    UBOX_TYPE, .nr_max = 1, .width = 48, .fixed_width = 48,
    .ctl_rst = COUNTER_RESET, .box_status = true, .status_legal = GENMASK(1, 0),
    .ctl_legal = CTL_COMMON | THRESHOLD_5 | COMPARE_INVERT | HSWEP_OV,
    .invert = COMPARE_INVERT,
    .fixed_legal = FIXED_OVERFLOW | FIXED_ENABLE, .ov_en = HSWEP_OV,
    .regs = ubox_regs, .filter_rate = ucore_e5_ubox_rate,
};
/* no ninth bit of events */
const UcoreBoxType ucore_skx_pcu = {
    PCU_TYPE, .nr_max = 1, HSWEP_BOX(4), .regs = pcu_regs,
    .ctl_legal = PCU_CTL_COMMON | COMPARE_INVERT | HSWEP_OV, .ov_en = HSWEP_OV,
};
static const UcoreBoxType imc = { HSWEP_IMC(6) };
static const UcoreBoxType m2m = {
    SKX_TYPE(m2m, 13, 4, 2, 0x00, 0), THRESH8, .regs = m2m_regs,
};
static const UcoreBoxType upi = {
    SKX_TYPE(upi, 14, 4, 3, 0x01, UPI_EXT), THRESH8, .umask_ext = UPI_EXT,
    .regs = upi_regs,
};
static const UcoreBoxType m3upi = {
    SKX_TYPE(m3upi, 15, 3, 3, 0x01, 0), THRESH8, .regs = ucore_e5_r3qpi_regs,
    .constraints = m3upi_constraints,
};
static const UcoreBoxType m2pcie = {
    SKX_TYPE(m2pcie, 16, 4, 4, 0x01, 0), THRESH8, .regs = ucore_e5_pci_regs,
    .constraints = m2pcie_constraints,
};
static const UcoreBoxType six_upi = {
    SKX_TYPE(upi, 14, 4, 6, 0x01, UPI_EXT), THRESH8, .umask_ext = UPI_EXT,
    .regs = upi_regs,
};
static const UcoreBoxType six_m3upi = {
    SKX_TYPE(m3upi, 15, 3, 6, 0x01, 0), THRESH8, .regs = ucore_e5_r3qpi_regs,
    .constraints = m3upi_constraints,
};

/* ------------------------------------------------- where the boxes report */

/*
 * common sites of IIO and IRP; bits 44, 45, 48 to 55 and 61 are guesses;
 * README.md
 */
#define COMMON_SITES \
    { .type = &cha, .msr = 0xe00, .msr_stride = 0x10, \
      .global_bit0 = 3, NO_FIXED_BIT }, \
    { .type = &iio, .msr = 0xa40, .msr_stride = 0x20, \
      .global_bit0 = 56, NO_FIXED_BIT }, \
    { .type = &irp, .msr = 0xa58, .msr_stride = 0x20, \
      .global_bit0 = 56, NO_FIXED_BIT }, \
    SKX_SYSTEM_SITES, \
    { .type = &imc, BITS(39, 39, 39, 40, 40, 40), NO_FIXED_BIT }, \
    { .type = &m2m, BITS(62, 63), NO_FIXED_BIT }, \
    { .type = &m2pcie, BITS(49, 50, 51, 52), NO_FIXED_BIT }

static const UcoreBoxSite boxes[] = {
    COMMON_SITES,
    { .type = &upi, BITS(41, 42, 43), NO_FIXED_BIT },
    { .type = &m3upi, BITS(46, 47, 48), NO_FIXED_BIT }, { }
};
static const UcoreBoxSite cpx_boxes[] = {
    COMMON_SITES,
    { .type = &six_upi, BITS(41, 42, 43, 44, 45, 53), NO_FIXED_BIT },
    { .type = &six_m3upi, BITS(46, 47, 48, 54, 55, 55), NO_FIXED_BIT }, { }
};

/* ---------------------------------------------------------- PCI functions */

/* the UBox function is on the socket's first bus, all else on a higher one */
#define COMMON_PCI \
    { .role = UCORE_PCI_SOCKET_MAP, .slot = 8, .bus = UCORE_BUS_IIO, \
      .device_id = 0x2014 }, \
    PMON(8, 0, 0x2066, m2m, 0), \
    PMON(9, 0, 0x2066, m2m, 1), \
    FILLER(10, 0x2040), \
    PMON(10, 2, 0x2042, imc, 0), \
    PMON(10, 6, 0x2046, imc, 1), \
    FILLER(11, 0x2048), \
    PMON(11, 2, 0x204a, imc, 2), \
    FILLER(12, 0x2040), \
    PMON(12, 2, 0x2042, imc, 3), \
    PMON(12, 6, 0x2046, imc, 4), \
    FILLER(13, 0x2048), \
    PMON(13, 2, 0x204a, imc, 5), \
    FILLER(18, 0x204c), \
    FILLER(21, 0x208e), \
    PMON(21, 1, 0x2088, m2pcie, 0), \
    FILLER(22, 0x208e), \
    PMON(22, 1, 0x2088, m2pcie, 1), \
    PMON(22, 5, 0x2088, m2pcie, 3), \
    FILLER(23, 0x208e), \
    PMON(23, 1, 0x2088, m2pcie, 2), \
    FILLER(30, 0x2080), \
    CAPS(30, 3, 0x2083)

static const UcorePciSite pci[] = {
    COMMON_PCI,
    PMON(14, 0, 0x2058, upi, 0),
    PMON(15, 0, 0x2058, upi, 1),
    PMON(16, 0, 0x2058, upi, 2),
    PMON(18, 1, 0x204d, m3upi, 0),
    PMON(18, 2, 0x204e, m3upi, 1),
    PMON(18, 5, 0x204d, m3upi, 2), { }
};
static const UcorePciSite cpx_pci[] = {
    COMMON_PCI,
    PMON(14, 0, 0x2058, six_upi, 0),
    PMON(15, 0, 0x2058, six_upi, 1),
    PMON(16, 0, 0x2058, six_upi, 2),
    PMON(14, 4, 0x2058, six_upi, 3),
    PMON(15, 4, 0x2058, six_upi, 4),
    PMON(16, 4, 0x2058, six_upi, 5),
    PMON(18, 1, 0x204d, six_m3upi, 0),
    PMON(18, 2, 0x204e, six_m3upi, 1),
    FILLER(19, 0x204c),
    PMON(19, 1, 0x204d, six_m3upi, 2),
    PMON(19, 2, 0x204e, six_m3upi, 3),
    FILLER(20, 0x204c),
    PMON(20, 1, 0x204d, six_m3upi, 4),
    PMON(20, 2, 0x204e, six_m3upi, 5), { }
};

/* --------------------------------------------------------------- platform */

#define SKX_COMMON \
    E5_COMMON_BITS, SKX_MSRS, SKX_GLOBAL(47), SKX_BOX_CTL, SKX_FREE_RUNNING, \
    SKX_LINKS, .msr_cpu_buses = 0x300, \
    .msr_global_status = 0x701, .status_doubtful = { 3, 63 }, \
    .capid6 = 0x9c, .capid6_slices = GENMASK(27, 0), \
    .iio_free = { .clock = 0xa45, .clock_stride = 0x20, \
                  .in = 0xb00, .out = 0xb04, .util = 0xb08, \
                  .stack_stride = 0x10, .port_stride = 1, .ports = 4, \
                  .width = 36 }

const UcorePlatform ucore_skx = { SKX_COMMON, .boxes = boxes, .pci = pci };
const UcorePlatform ucore_clx = { SKX_COMMON, .boxes = boxes, .pci = pci };
const UcorePlatform ucore_cpx = {
    SKX_COMMON, .boxes = cpx_boxes, .pci = cpx_pci,
};
