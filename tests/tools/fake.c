// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Simulated ucore device in user space.  Commands follow uapi/ucore.h as far as the library
 * depends on them, including all refusals.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fake.h"

#define PAGE	4096U
#define COUNTERS_ALL	0xffffffffU
#define FAKE_CPUS	8U		/* counters of a die */

struct fake fake;

/* ---- the machine ------------------------------------------------------- */

struct fake_type {
	const char *type;
	unsigned int boxes, counters, fixed, width, access;
	uint32_t caps;
	uint64_t fields;	/* bit n: UCORE_FIELD_n */
	uint32_t number;	/* in discovery tables */
	uint64_t base, step;	/* addresses of the box controls */
};

struct fake_machine {
	const char *platform;
	uint32_t model;		/* 0: first model of the platform */
	uint32_t caps;
	const struct fake_type *types;
	size_t nr_types;
};

#define NR(a)	(sizeof(a) / sizeof((a)[0]))
#define F(name)	(1ULL << UCORE_FIELD_##name)
#define BASIC	(F(EVENT) | F(EDGE) | F(THRESH))
#define PCI(bus, slot, function, offset) \
	((uint64_t)(bus) << 20 | (slot) << 15 | (function) << 12 | (offset))

static const struct fake_type e5_types[] = {
	{ "cbo", 4, 4, 0, 44, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE,
	  BASIC | F(UMASK) | F(TID_EN) | F(FILTER_TID) | F(FILTER_LINK) | F(FILTER_STATE) |
	  F(FILTER_NID) | F(FILTER_OPC) | F(FILTER_NC), 0, 0xd04, 0x20 },
	{ "ubox", 1, 2, 1, 44, UCORE_ACCESS_MSR, UCORE_BOX_F_OVERFLOW | UCORE_BOX_F_FIXED_OVERFLOW,
	  BASIC | F(UMASK), 0, 0xc08 },
	{ "pcu", 1, 4, 0, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_OVERFLOW | UCORE_BOX_F_FREEZE,
	  BASIC | F(OCC_SEL) | F(OCC_INVERT) | F(OCC_EDGE) | F(BAND0) | F(BAND1) | F(BAND2) |
	  F(BAND3), 0, 0xc24 },
	{ "ha", 1, 4, 0, 48, UCORE_ACCESS_ECAM, UCORE_BOX_F_OVERFLOW | UCORE_BOX_F_FREEZE,
	  BASIC | F(UMASK) | F(ADDR_MATCH) | F(OPC_MATCH), 0, PCI(0x7f, 14, 1, 0xf4) },
	{ "imc", 4, 4, 1, 48, UCORE_ACCESS_ECAM,
	  UCORE_BOX_F_OVERFLOW | UCORE_BOX_F_FIXED_OVERFLOW | UCORE_BOX_F_FREEZE, BASIC | F(UMASK),
	  0, PCI(0x7f, 16, 0, 0xf4), 1 << 12 },
	{ "irp", 1, 4, 0, 48, UCORE_ACCESS_ECAM, UCORE_BOX_F_FREEZE, BASIC | F(UMASK),
	  0, PCI(0x7f, 5, 6, 0xf4) },
	{ "qpi", 2, 4, 0, 48, UCORE_ACCESS_ECAM, UCORE_BOX_F_OVERFLOW | UCORE_BOX_F_FREEZE,
	  BASIC | F(UMASK) | F(MATCH0) | F(MATCH1) | F(MASK0) | F(MASK1),
	  0, PCI(0x7f, 8, 2, 0xf4), 1 << 15 },
	{ "r2pcie", 1, 4, 0, 44, UCORE_ACCESS_ECAM, UCORE_BOX_F_OVERFLOW | UCORE_BOX_F_FREEZE,
	  BASIC | F(UMASK), 0, PCI(0x7f, 19, 1, 0xf4) },
	{ "r3qpi", 2, 3, 0, 44, UCORE_ACCESS_ECAM, UCORE_BOX_F_OVERFLOW | UCORE_BOX_F_FREEZE,
	  BASIC | F(UMASK), 0, PCI(0x7f, 19, 5, 0xf4), 1 << 12 },
};

/* E5-2600 v3 and v4; the Xeon D has only the first boxes of each type */
#define INVERTS	(BASIC | F(UMASK) | F(INVERT))
#define PMON	(UCORE_BOX_F_OVERFLOW | UCORE_BOX_F_FREEZE)

static const struct fake_type v3_types[] = {
	{ "cbo", 4, 4, 0, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE,
	  INVERTS | F(TID_EN) | F(FILTER_TID) | F(FILTER_LINK) | F(FILTER_STATE) |
	  F(FILTER_NID) | F(FILTER_OPC) | F(FILTER_NC), 0, 0xe00, 0x10 },
	{ "ubox", 1, 2, 1, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_OVERFLOW | UCORE_BOX_F_FIXED_OVERFLOW,
	  INVERTS | F(FILTER_TID) | F(FILTER_CID), 0, 0x705 },
	{ "pcu", 1, 4, 0, 48, UCORE_ACCESS_MSR, PMON,
	  BASIC | F(INVERT) | F(OCC_SEL) | F(OCC_INVERT) | F(OCC_EDGE) | F(BAND0) | F(BAND1) |
	  F(BAND2) | F(BAND3), 0, 0x710 },
	{ "ha", 1, 4, 0, 48, UCORE_ACCESS_ECAM, PMON, INVERTS | F(ADDR_MATCH) | F(OPC_MATCH),
	  0, PCI(0x7f, 18, 1, 0xf4) },
	{ "imc", 4, 4, 1, 48, UCORE_ACCESS_ECAM, PMON | UCORE_BOX_F_FIXED_OVERFLOW, INVERTS,
	  0, PCI(0x7f, 20, 0, 0xf4), 1 << 12 },
	{ "irp", 1, 4, 0, 48, UCORE_ACCESS_ECAM, UCORE_BOX_F_FREEZE, INVERTS,
	  0, PCI(0x7f, 5, 6, 0xf4) },
	{ "r2pcie", 1, 4, 0, 48, UCORE_ACCESS_ECAM, PMON, INVERTS, 0, PCI(0x7f, 16, 1, 0xf4) },
#define NR_D_TYPES	7
	{ "sbox", 4, 4, 0, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE, INVERTS, 0, 0x720, 0xa },
	{ "qpi", 2, 4, 0, 48, UCORE_ACCESS_ECAM, PMON,
	  INVERTS | F(MATCH0) | F(MATCH1) | F(MASK0) | F(MASK1),
	  0, PCI(0x7f, 8, 2, 0xf4), 1 << 15 },
	{ "r3qpi", 2, 3, 0, 48, UCORE_ACCESS_ECAM, PMON, INVERTS,
	  0, PCI(0x7f, 11, 1, 0xf4), 1 << 12 },
};

#define TOR_FILTERS	(F(FILTER_REM) | F(FILTER_LOC) | F(FILTER_ALL_OP) | F(FILTER_NM) | \
			 F(FILTER_NOT_NM) | F(FILTER_OPC_0) | F(FILTER_OPC_1))

static const struct fake_type skx_types[] = {
	{ "cha", 28, 4, 0, 48, UCORE_ACCESS_MSR, PMON,
	  INVERTS | F(TID_EN) | F(FILTER_TID) | F(FILTER_LINK) | F(FILTER_STATE) | TOR_FILTERS |
	  F(FILTER_NC) | F(FILTER_ISOC), 0, 0xe00, 0x10 },
	{ "iio", 6, 4, 0, 48, UCORE_ACCESS_MSR, PMON, INVERTS | F(CH_MASK) | F(FC_MASK),
	  0, 0xa40, 0x20 },
	{ "iio_free", 6, 0, 17, 0, UCORE_ACCESS_MSR, UCORE_BOX_F_FREE_RUNNING, 0, 0, 0xa45, 0x20 },
	{ "irp", 6, 2, 0, 48, UCORE_ACCESS_MSR, PMON, INVERTS, 0, 0xa58, 0x20 },
	{ "ubox", 1, 2, 1, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_OVERFLOW | UCORE_BOX_F_FIXED_OVERFLOW,
	  BASIC | F(UMASK), 0, 0x705 },
	{ "pcu", 1, 4, 0, 48, UCORE_ACCESS_MSR, PMON,
	  BASIC | F(INVERT) | F(OCC_SEL) | F(OCC_INVERT) | F(OCC_EDGE) | F(BAND0) | F(BAND1) |
	  F(BAND2) | F(BAND3), 0, 0x710 },
	{ "imc", 6, 4, 1, 48, UCORE_ACCESS_ECAM, PMON | UCORE_BOX_F_FIXED_OVERFLOW, INVERTS,
	  0, PCI(0x3a, 10, 2, 0xf4), 1 << 14 },
	{ "m2m", 2, 4, 0, 48, UCORE_ACCESS_ECAM, PMON, INVERTS,
	  0, PCI(0x3a, 8, 0, 0x258), 1 << 15 },
	{ "upi", 3, 4, 0, 48, UCORE_ACCESS_ECAM, PMON, INVERTS | F(UMASK_EXT),
	  8, PCI(0x5d, 14, 0, 0x378), 1 << 15 },
	{ "m3upi", 3, 3, 0, 48, UCORE_ACCESS_ECAM, PMON, INVERTS,
	  0, PCI(0x5d, 18, 1, 0xf4), 1 << 12 },
	{ "m2pcie", 4, 4, 0, 48, UCORE_ACCESS_ECAM, PMON, INVERTS,
	  0, PCI(0x5d, 21, 1, 0xf4), 1 << 15 },
};

/* Ice Lake-SP and Snow Ridge; only the CHA has different limits, see field_of() */
#define WIDE	(INVERTS | F(UMASK_EXT))
#define PCU	(BASIC | F(INVERT) | F(OCC_SEL) | F(OCC_INVERT) | F(OCC_EDGE) | F(BAND0) | \
		 F(BAND1) | F(BAND2) | F(BAND3))

static const struct fake_type icx_types[] = {
	{ "cha", 40, 4, 0, 48, UCORE_ACCESS_MSR, PMON, WIDE | F(TID_EN) | F(FILTER_TID),
	  0, 0xe00, 0xe },
	{ "iio", 6, 4, 0, 48, UCORE_ACCESS_MSR, PMON, INVERTS | F(CH_MASK) | F(FC_MASK),
	  1, 0xa50, 0x20 },
	{ "iio_free", 6, 0, 17, 0, UCORE_ACCESS_MSR, UCORE_BOX_F_FREE_RUNNING, 0, 1, 0xa55, 0x20 },
	{ "irp", 6, 2, 0, 48, UCORE_ACCESS_MSR, PMON, INVERTS, 2, 0xa4a, 0x20 },
	{ "m2pcie", 6, 4, 0, 48, UCORE_ACCESS_MSR, PMON, INVERTS, 3, 0xa40, 0x20 },
	{ "ubox", 1, 2, 1, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_OVERFLOW | UCORE_BOX_F_FIXED_OVERFLOW,
	  BASIC | F(UMASK), 5, 0x705 },
	{ "pcu", 1, 4, 0, 48, UCORE_ACCESS_MSR, PMON, PCU, 4, 0x710 },
	{ "imc", 12, 4, 1, 48, UCORE_ACCESS_MMIO, PMON | UCORE_BOX_F_FIXED_OVERFLOW, INVERTS,
	  6, 0xc8a22800, 0x4000 },
	{ "imc_free", 4, 0, 5, 0, UCORE_ACCESS_MMIO, UCORE_BOX_F_FREE_RUNNING, 0,
	  6, 0xc8a02290, 0x40000 },
	{ "m2m", 4, 4, 0, 48, UCORE_ACCESS_ECAM, PMON, WIDE, 7, PCI(0x7e, 12, 0, 0x438), 1 << 15 },
	{ "upi", 3, 4, 0, 48, UCORE_ACCESS_ECAM, PMON, WIDE, 8, PCI(0x7e, 2, 1, 0x318), 1 << 15 },
	{ "m3upi", 3, 4, 0, 48, UCORE_ACCESS_ECAM, PMON, INVERTS,
	  9, PCI(0x7e, 5, 1, 0xa0), 1 << 15 },
};

static const struct fake_type snr_types[] = {
	{ "cha", 6, 4, 0, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE, WIDE | F(TID_EN) | F(FILTER_TID),
	  0, 0x1c00, 0x10 },
	{ "iio", 5, 4, 0, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE, INVERTS | F(CH_MASK) | F(FC_MASK),
	  1, 0x1e00, 0x10 },
	{ "iio_free", 5, 0, 17, 0, UCORE_ACCESS_MSR, UCORE_BOX_F_FREE_RUNNING, 0, 1, 0x1eac, 0x10 },
	{ "irp", 5, 2, 0, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE, INVERTS, 2, 0x1ea0, 0x10 },
	{ "m2pcie", 5, 4, 0, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE, INVERTS, 3, 0x1e50, 0x10 },
	{ "ubox", 1, 2, 1, 48, UCORE_ACCESS_MSR, 0,
	  BASIC | F(UMASK), 5, 0x1f91 },
	{ "pcu", 1, 4, 0, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE, PCU, 4, 0x1ef0 },
	{ "imc", 2, 4, 1, 48, UCORE_ACCESS_MMIO, UCORE_BOX_F_FREEZE, INVERTS,
	  6, 0xc8a22800, 0x4000 },
	{ "imc_free", 1, 0, 3, 0, UCORE_ACCESS_MMIO, UCORE_BOX_F_FREE_RUNNING, 0, 6, 0xc8a02290 },
	{ "m2m", 4, 4, 0, 48, UCORE_ACCESS_ECAM, UCORE_BOX_F_FREEZE, WIDE,
	  7, PCI(0x7e, 12, 0, 0x438), 1 << 15 },
};

/* Fields of every box with discovery, and additional fields of 64-bit controls */
#define DISC	(BASIC | F(UMASK) | F(INVERT))
#define EXT	(DISC | F(UMASK_EXT))

static const struct fake_type spr_types[] = {
	{ "cha", 60, 4, 0, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE,
	  EXT | F(TID_EN) | F(FILTER_TID), 0, 0x2000, 0x10 },
	{ "iio", 12, 4, 0, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE,
	  DISC | F(CH_MASK) | F(FC_MASK), 1, 0x3000, 0x10 },
	{ "irp", 12, 2, 0, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE, EXT, 2, 0x3400, 0x10 },
	{ "m2pcie", 12, 4, 0, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE, EXT, 3, 0x3200, 0x10 },
	{ "pcu", 1, 4, 0, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE, DISC, 4, 0x2fc0 },
	{ "ubox", 1, 2, 1, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE, DISC, 5, 0x2fd0 },
	{ "imc", 8, 4, 1, 48, UCORE_ACCESS_MMIO, UCORE_BOX_F_FREEZE, DISC, 6, 0xc8aa2800, 0x8000 },
	{ "m2m", 4, 4, 0, 48, UCORE_ACCESS_ECAM, UCORE_BOX_F_FREEZE, EXT,
	  7, PCI(0x7e, 12, 0, 0x438), 1 << 15 },
	{ "upi", 3, 4, 0, 48, UCORE_ACCESS_ECAM, UCORE_BOX_F_FREEZE, EXT,
	  8, PCI(0x7e, 1, 1, 0x318), 1 << 15 },
	{ "m3upi", 3, 4, 0, 48, UCORE_ACCESS_ECAM, UCORE_BOX_F_FREEZE, EXT,
	  9, PCI(0x7e, 5, 1, 0xa0), 1 << 15 },
	{ "mdf", 10, 4, 0, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE, EXT, 11, 0x2800, 0x10 },
	{ "cxlcm", 2, 8, 0, 48, UCORE_ACCESS_MMIO, UCORE_BOX_F_FREEZE, EXT,
	  12, 0xd0000000, 0x10000 },
	{ "cxldp", 2, 4, 0, 48, UCORE_ACCESS_MMIO, UCORE_BOX_F_FREEZE, EXT,
	  13, 0xd0001000, 0x10000 },
	{ "mchbm", 2, 4, 1, 48, UCORE_ACCESS_MMIO, UCORE_BOX_F_FREEZE, DISC,
	  14, 0xd8000000, 0x8000 },
	{ "type_33", 1, 4, 0, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE, DISC, 33, 0x3f00 },
	{ "iio_free", 12, 0, 17, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_FREE_RUNNING, 0,
	  ~0U, 0x340e, 0x10 },
};

static const struct fake_type gnr_types[] = {
	{ "cha", 120, 4, 0, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE, EXT, 0, 0x2000, 0x10 },
	{ "iio", 16, 4, 0, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE,
	  DISC | F(CH_MASK) | F(FC_MASK), 1, 0x2900, 0x10 },
	{ "irp", 16, 4, 0, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE, EXT, 2, 0x2a00, 0x10 },
	{ "pcu", 5, 4, 0, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE, DISC, 4, 0x3f00, 0x10 },
	{ "ubox", 1, 2, 1, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE, DISC, 5, 0x3ff0 },
	{ "imc", 12, 4, 1, 48, UCORE_ACCESS_MMIO, UCORE_BOX_F_FREEZE, DISC, 6, 0xc8aa2800, 0x8000 },
	{ "upi", 6, 4, 0, 48, UCORE_ACCESS_ECAM, UCORE_BOX_F_FREEZE, EXT,
	  8, PCI(0x7e, 1, 1, 0x318), 1 << 15 },
	{ "cxlcm", 2, 8, 0, 48, UCORE_ACCESS_MMIO, UCORE_BOX_F_FREEZE, EXT,
	  12, 0xd0000000, 0x10000 },
	{ "cxldp", 2, 4, 0, 48, UCORE_ACCESS_MMIO, UCORE_BOX_F_FREEZE, EXT,
	  13, 0xd0001000, 0x10000 },
	{ "b2hot", 6, 4, 0, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE, EXT, 15, 0x3e00, 0x10 },
	{ "b2cmi", 12, 4, 0, 48, UCORE_ACCESS_ECAM, UCORE_BOX_F_FREEZE, EXT,
	  16, PCI(0x7e, 10, 0, 0x438), 1 << 15 },
	{ "b2cxl", 2, 4, 0, 48, UCORE_ACCESS_MMIO, UCORE_BOX_F_FREEZE, EXT,
	  17, 0xd4000000, 0x10000 },
	{ "b2upi", 6, 4, 0, 48, UCORE_ACCESS_ECAM, UCORE_BOX_F_FREEZE, EXT,
	  18, PCI(0x7d, 1, 0, 0x438), 1 << 15 },
	{ "chacms", 1, 4, 0, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE, DISC, 19, 0x3d00 },
	{ "mdf", 30, 4, 0, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE, EXT, 20, 0x2b00, 0x10 },
	{ "pciex16", 4, 4, 0, 48, UCORE_ACCESS_PCI, UCORE_BOX_F_FREEZE, DISC,
	  21, 1ULL << 32 | PCI(0x7c, 1, 0, 0x440), 1 << 15 },
};

static const struct fake_type generic_types[] = {
	{ "type_0", 2, 4, 0, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE, EXT, 0, 0x2000, 0x10 },
	{ "type_6", 2, 4, 0, 48, UCORE_ACCESS_MMIO, UCORE_BOX_F_FREEZE, DISC,
	  6, 0xc8aa2800, 0x8000 },
	{ "type_33", 1, 4, 0, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE, DISC, 33, 0x3f00 },
};

/* Client processors: Sandy Bridge to Skylake and Rocket Lake, Ice Lake, Tiger and Alder Lake, and
 * Meteor Lake */
#define CLIENT	(BASIC | F(UMASK) | F(INVERT))
#define CLIENT_CBO \
	{ "cbo", 4, 2, 0, 44, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE, CLIENT, 0, 0x700, 0x10 }
#define CLIENT_ARB(counters) \
	{ "arb", 1, (counters), 0, 44, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE, CLIENT, 0, 0x3b0 }
#define CLIENT_CLOCK \
	{ "clock", 1, 0, 1, 0, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE, 0, 0, 0x394 }
#define CLIENT_IMC_FREE(boxes, counters, base) \
	{ "imc_free", (boxes), 0, (counters), 0, UCORE_ACCESS_MMIO, UCORE_BOX_F_FREE_RUNNING, 0, \
	  0, (base), 0x10000 }

static const struct fake_type skl_types[] = {
	CLIENT_CBO, CLIENT_ARB(2), CLIENT_CLOCK, CLIENT_IMC_FREE(1, 5, 0xfed15040),
};

static const struct fake_type icl_types[] = {
	CLIENT_CBO, CLIENT_ARB(1), CLIENT_CLOCK, CLIENT_IMC_FREE(1, 5, 0xfed15040),
};

static const struct fake_type tgl_types[] = {
	CLIENT_CBO, CLIENT_ARB(2), CLIENT_CLOCK, CLIENT_IMC_FREE(2, 3, 0xfedc5040),
};

#define CLIENT_IMC \
	{ "imc", 2, 5, 0, 64, UCORE_ACCESS_MMIO, UCORE_BOX_F_FREEZE, F(EVENT) | F(CH_MASK), \
	  0, 0xfedcd900, 0x10000 }

static const struct fake_type adl_types[] = {
	CLIENT_CBO, CLIENT_ARB(2), CLIENT_CLOCK, CLIENT_IMC, CLIENT_IMC_FREE(2, 3, 0xfedcd840),
};

#define MTL_BOX(name, boxes, at) \
	{ (name), (boxes), 2, 0, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE, CLIENT, 0, (at), 0x10 }
#define MTL_CLOCK(name, at) \
	{ (name), 1, 0, 1, 0, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE, 0, 0, (at) }

static const struct fake_type mtl_types[] = {
	MTL_BOX("cbo", 4, 0x2442), MTL_BOX("arb", 2, 0x2412), MTL_CLOCK("clock", 0x2402),
	MTL_BOX("hac_arb", 2, 0x2012), MTL_BOX("hac_cbo", 2, 0x2042), MTL_CLOCK("sncu", 0x2002),
	CLIENT_IMC, CLIENT_IMC_FREE(2, 3, 0xfedcd840),
};

#define PTL_UNIT(name, boxes, counters, number, at) \
	{ (name), (boxes), (counters), 0, 48, UCORE_ACCESS_MMIO, UCORE_BOX_F_FREEZE, DISC, \
	  (number), (at), 0x1000 }

static const struct fake_type ptl_types[] = {
	PTL_UNIT("imc", 2, 5, 6, 0xfede60c4), PTL_UNIT("sncu", 1, 2, 34, 0xfedeb380),
	PTL_UNIT("hbo", 2, 4, 41, 0xfede4548), MTL_BOX("cbo", 4, 0x2442),
	MTL_BOX("santa", 2, 0x2412),
	{ "clock", 2, 0, 1, 0, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE, 0, 0, 0x2402, 0x140 },
	MTL_BOX("ia_core_bridge", 1, 0x2022), CLIENT_IMC_FREE(2, 3, 0xfedcd840),
};

/* Nehalem and Westmere */
static const struct fake_type nhm_types[] = {
	{ "uncore", 1, 8, 0, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE, CLIENT, 0, 0x3b0 },
	{ "clock", 1, 0, 1, 0, UCORE_ACCESS_MSR, UCORE_BOX_F_FREEZE, 0, 0, 0x394 },
};

#define DISCOVERS (UCORE_CAP_GLOBAL_FREEZE | UCORE_CAP_DISCOVERY)
#define CLIENT_CAPS (UCORE_CAP_GLOBAL_FREEZE | UCORE_CAP_PMI_TRIAL)

static const struct fake_machine machines[] = {
	{ "ivbep", 0, UCORE_CAP_GLOBAL_FREEZE | UCORE_CAP_OVERFLOW_PMI, e5_types, NR(e5_types) },
	{ "hswep", 0, UCORE_CAP_GLOBAL_FREEZE | UCORE_CAP_OVERFLOW_PMI, v3_types, NR(v3_types) },
	{ "bdxde", 0, UCORE_CAP_GLOBAL_FREEZE | UCORE_CAP_OVERFLOW_PMI, v3_types, NR_D_TYPES },
	{ "skx", 0, UCORE_CAP_GLOBAL_FREEZE | UCORE_CAP_OVERFLOW_PMI, skx_types, NR(skx_types) },
	{ "icx", 0, UCORE_CAP_GLOBAL_FREEZE | UCORE_CAP_OVERFLOW_PMI, icx_types, NR(icx_types) },
	{ "snr", 0, 0, snr_types, NR(snr_types) },
	{ "spr", 0, DISCOVERS, spr_types, NR(spr_types) },
	{ "gnr", 0, DISCOVERS, gnr_types, NR(gnr_types) },
	{ "skl", 0, CLIENT_CAPS, skl_types, NR(skl_types) },
	{ "icl", 0, CLIENT_CAPS, icl_types, NR(icl_types) },
	{ "tgl", 0, CLIENT_CAPS, tgl_types, NR(tgl_types) },
	{ "adl", 0, CLIENT_CAPS, adl_types, NR(adl_types) },
	{ "mtl", 0, UCORE_CAP_GLOBAL_FREEZE, mtl_types, NR(mtl_types) },
	{ "ptl", 0, DISCOVERS, ptl_types, NR(ptl_types) },
	{ "nhm", 0, CLIENT_CAPS, nhm_types, NR(nhm_types) },
	{ "generic", 250, DISCOVERS, generic_types, NR(generic_types) },
};

/* Box of each CPU, added to any machine by fake_cpus() */
static const struct fake_type core_type = {
	"core", 1, 4, 3, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_OVERFLOW | UCORE_BOX_F_FIXED_OVERFLOW,
	F(EVENT) | F(UMASK) | F(EDGE) | F(USR) | F(OS) | F(ANY) | F(INVERT) | F(THRESH), ~0U, 0x186
};

/* Box of each CPU that is an efficient core, added by fake_atoms() */
static const struct fake_type atom_type = {
	"atom", 1, 3, 2, 48, UCORE_ACCESS_MSR, UCORE_BOX_F_OVERFLOW | UCORE_BOX_F_FIXED_OVERFLOW,
	F(EVENT) | F(UMASK) | F(EDGE) | F(USR) | F(OS) | F(ANY) | F(INVERT) | F(THRESH), ~0U, 0x186
};

static uint32_t machine_model(const struct fake_machine *machine)
{
	static const struct ucore_model models[] = {
#define UCORE_MODEL(...) { __VA_ARGS__ },
#include "../../driver/hw/models.h"
	};

	for (size_t i = 0; !machine->model && i < NR(models); i++)
		if (!strcmp(models[i].platform, machine->platform))
			return models[i].model;
	return machine->model;
}

/* The fields of the driver, each with the bits that hw/fields.h has for it */
static const struct ucore_field_info all_fields[] = {
#define UCORE_FIELD(id, name, perfmon, shared, bits) \
	{ UCORE_FIELD_##id, ((shared) ? UCORE_FIELD_F_SHARED : 0) | \
			    ((perfmon) ? UCORE_FIELD_F_PERFMON : 0), (bits), (bits), name },
#include "../../driver/hw/fields.h"
};

/* Fields that differ from the table above on some machines */
static const struct ucore_field_info disc_event = { UCORE_FIELD_EVENT, 0, 0xff, 0xff, "event" };

static const struct ucore_field_info v3_tid = {
	UCORE_FIELD_FILTER_TID, UCORE_FIELD_F_SHARED, 0x3f, 0x3f, "filter_tid"
};

static const struct ucore_field_info disc_tid = {
	UCORE_FIELD_FILTER_TID, UCORE_FIELD_F_SHARED, 0x3ff, 0x3ff, "filter_tid"
};

static const struct ucore_field_info cha_ext = {
	UCORE_FIELD_UMASK_EXT, 0, 0xffffffff, 0xffffffff, "umask_ext"
};

static const struct fake_type *type_of(const struct ucore_box_info *box)
{
	const struct fake_type *types = fake.machine->types;

	for (size_t i = 0; i < fake.machine->nr_types; i++)
		if (!strcmp(types[i].type, box->type))
			return &types[i];
	if (!strcmp(core_type.type, box->type))
		return &core_type;
	if (!strcmp(atom_type.type, box->type))
		return &atom_type;
	return &types[0];	/* a type that only a test uses */
}

static const struct ucore_field_info *field_of(const struct ucore_box_info *box, uint32_t id)
{
	const struct fake_type *type = type_of(box);

	if (id >= 64 || !(type->fields & 1ULL << id) ||
	    (box->box == fake.hidden_box && fake.hidden_fields & 1ULL << id))
		return NULL;
	if (fake.machine->caps & UCORE_CAP_DISCOVERY && id == UCORE_FIELD_EVENT)
		return &disc_event;
	if (fake.machine->caps & UCORE_CAP_DISCOVERY && id == UCORE_FIELD_FILTER_TID)
		return &disc_tid;
	if (fake.machine->types == v3_types && id == UCORE_FIELD_FILTER_TID)
		return &v3_tid;
	if (id == UCORE_FIELD_UMASK_EXT && type->number == 0)
		return &cha_ext;
	for (size_t i = 0; i < NR(all_fields); i++)
		if (all_fields[i].field == id)
			return &all_fields[i];
	return NULL;
}

static struct ucore_box_info *box_make(const struct fake_type *type,
				       struct ucore_domain_info *domain, unsigned int instance)
{
	struct ucore_box_info *box = &fake.boxes[fake.nr_boxes];

	domain->nr_boxes++;
	domain->nr_counters += type->counters + type->fixed;
	box->box = fake.nr_boxes++;
	box->domain = domain->domain;
	box->die = domain->die;
	box->cpu = domain->cpu;
	box->instance = instance;
	box->access = type->access;
	box->nr_counters = type->counters;
	box->nr_fixed = type->fixed;
	box->width = type->width;
	box->fixed_width = 48;
	box->flags = type->caps;
	box->location = type->base + type->step * instance;
	/* the second socket has other buses and addresses, but the same MSRs */
	if (type->access == UCORE_ACCESS_MMIO)
		box->location += box->die * 0x40000000ULL;
	else if (type->access != UCORE_ACCESS_MSR)
		box->location += box->die * (0x80ULL << 20);
	strcpy(box->type, type->type);
	return box;
}

/* ---- discovery --------------------------------------------------------- */

#define GLOBAL_CTL	0x2ff0

void fake_table(uint32_t reason, int32_t die)
{
	uint32_t index = fake.nr_tables++;
	struct ucore_table_info *table = &fake.tables[index];
	bool read = reason == UCORE_TABLE_OK || reason >= UCORE_TABLE_GLOBAL;

	*table = (struct ucore_table_info) {
		.table = index, .die = die, .bus = (0x7e + 0x80 * index) & 0xff,
		.function = 1 + index / 2,
		.dvsec = 0x100, .dvsec_header = 0x01018086, .reason = reason, .address = 0xf0000000 + 0x10000 * index,
		.die_by = die < 0 ? UCORE_DIE_BY_NONE : UCORE_DIE_BY_BUS,
	};
	/* the DVSECs of these functions were not read */
	if (reason == UCORE_TABLE_CONFIG || reason == UCORE_TABLE_ASLEEP) {
		table->dvsec = 0;
		table->dvsec_header = 0;
		table->address = 0;
		read = false;
	}
	/* a table behind an MSR has no PCI function */
	if (reason == UCORE_TABLE_MSR || reason == UCORE_TABLE_FOREIGN) {
		table->bus = 0;
		table->function = 0;
		table->dvsec = 0;
		table->dvsec_header = 0;
		table->msr = 0x710;
		read = false;
	}
	if (!read)
		return;
	table->stride = 32;
	table->num_status = 256;
	table->status_offset = 4;
	table->global = GLOBAL_CTL;
}

/* Encode a PCI address as in tables, with the segment directly above the bus */
static uint64_t place_of(const struct fake_type *type, uint64_t at)
{
	bool pci = type->access == UCORE_ACCESS_PCI || type->access == UCORE_ACCESS_ECAM;

	return pci ? at >> 32 << 28 | (at & 0xfffffff) : at;
}

/* Write the discovery record of a unit */
static struct ucore_unit_info *unit_make(uint32_t table, const struct fake_type *type,
					 uint64_t at, uint32_t id)
{
	static const uint64_t accesses[] = {
		[UCORE_ACCESS_MSR] = 0, [UCORE_ACCESS_MMIO] = 1, [UCORE_ACCESS_PCI] = 2,
		[UCORE_ACCESS_ECAM] = 2,
	};
	bool msr = type->access == UCORE_ACCESS_MSR;
	struct ucore_unit_info *unit = &fake.units[fake.nr_units++];

	*unit = (struct ucore_unit_info) {
		.table = table, .record = ++fake.tables[table].max_units,
		.die = fake.tables[table].die, .box = UCORE_NO_BOX, .type = type->number, .id = id,
		.access = type->access == UCORE_ACCESS_ECAM ? UCORE_ACCESS_PCI : type->access,
		.word = {
			type->counters | (msr ? 2 : 0x40) << 8 | type->width << 16 |
				8ULL << 24 | (msr ? 1ULL : 0x70) << 32 | accesses[type->access] << 62,
			place_of(type, at),
			type->number | id << 16 | (uint64_t)fake.tables[table].max_units << 32,
		},
	};
	strcpy(unit->name, type->type);
	fake.tables[table].nr_units++;
	return unit;
}

void fake_reject(uint32_t reason, uint32_t type, const char *name, uint32_t id, uint32_t other)
{
	struct fake_type rejected = {
		name, 1, 4, 0, 48, UCORE_ACCESS_MSR, .number = type, .base = 0x3000,
	};
	struct ucore_unit_info *unit = unit_make(0, &rejected, 0x3000, id);

	unit->reason = reason;
	unit->other = other;
	if (reason == UCORE_UNIT_ZERO)
		memset(unit->word, 0, sizeof(unit->word));
	if (reason == UCORE_UNIT_ALL_ONES)
		memset(unit->word, 0xff, sizeof(unit->word));
	if (reason == UCORE_UNIT_ACCESS)
		unit->access = ~0U;
	fake.tables[0].nr_rejected++;
}

/* UPI and M3UPI of SPR: the driver uses known addresses in place of the table's */
static void unit_of_box(const struct fake_type *type, const struct ucore_box_info *box)
{
	bool moved = type->number == 8 || type->number == 9;
	struct ucore_unit_info *unit;

	if (type->number == ~0U)
		return;
	unit = unit_make(box->domain, type, moved ? 0x1234 : box->location, box->instance);
	if (!strcmp(fake.machine->platform, "spr") && moved) {
		unit->reason = UCORE_UNIT_RELOCATED;
		fake.tables[box->domain].nr_rejected++;
		unit = unit_make(box->domain, type, box->location, box->instance);
		unit->record = 0;
		fake.tables[box->domain].max_units--;
	}
	unit->box = box->box;
}

static struct ucore_domain_info *domain_make(uint32_t scope, uint32_t die, int32_t cpu)
{
	struct ucore_domain_info *domain = &fake.domains[fake.nr_domains];

	if (fake.nr_domains == FAKE_MAX_DOMAINS)
		abort();
	*domain = (struct ucore_domain_info) {
		.domain = fake.nr_domains++, .scope = scope, .die = die, .package = die,
		.cpu = cpu, .reader = cpu < 0 ? (int32_t)(FAKE_CPUS * die) : cpu,
	};
	return domain;
}

static void boxes_make(void)
{
	const struct fake_machine *machine = fake.machine;
	bool discovers = machine->caps & UCORE_CAP_DISCOVERY;

	for (unsigned int d = 0; d < fake.nr_dies; d++) {
		uint32_t die = fake.first_die + d;
		struct ucore_domain_info *domain = domain_make(UCORE_SCOPE_DIE, die, -1);

		if (discovers)
			fake_table(UCORE_TABLE_OK, (int32_t)die);
		for (size_t t = 0; t < machine->nr_types; t++)
			for (unsigned int i = 0; i < machine->types[t].boxes; i++) {
				const struct ucore_box_info *box;

				box = box_make(&machine->types[t], domain, i);
				if (discovers)
					unit_of_box(&machine->types[t], box);
			}
	}
}

static void fake_no_tables(void)
{
	fake.nr_tables = 0;
	fake.nr_units = 0;
}

void fake_overflow_pmi(void)
{
	fake.caps |= UCORE_CAP_OVERFLOW_PMI;
	for (unsigned int i = 0; i < fake.nr_boxes; i++)
		if (!(fake.boxes[i].flags & UCORE_BOX_F_FREE_RUNNING))
			fake.boxes[i].flags |= UCORE_BOX_F_OVERFLOW;
}

static void ring_free(struct fake_ring *ring)
{
	free(ring->consumer);
	free(ring->map);
	memset(ring, 0, sizeof(*ring));
}

static void machine_make(const char *name, unsigned int first_die, unsigned int nr_dies)
{
	const struct fake_machine *machine = NULL;

	for (size_t i = 0; i < NR(machines); i++)
		if (!strcmp(machines[i].platform, name))
			machine = &machines[i];
	if (!machine)
		abort();
	for (unsigned int i = 0; i < FAKE_MAX_DOMAINS; i++)
		ring_free(&fake.rings[i]);
	if (fake.session_fd > 0)
		close(fake.session_fd);
	memset(&fake, 0, sizeof(fake));
	fake.session_fd = -1;
	fake.first_die = first_die;
	fake.nr_dies = nr_dies;
	fake.abi = UCORE_ABI_VERSION;
	fake.fail_command = ~0U;
	fake.lie_command = ~0U;
	fake.mmap_skip = -1;
	fake.batch = 4;
	fake.scale = 1;
	fake.read_ns = 1000000000;
	fake.budget.sample_ns = 5800;
	fake.pmi_cpu = ~0U;
	fake.next_event = 1;
	fake.machine = machine;
	fake.caps = machine->caps;
	strcpy(fake.platform, machine->platform);
	fake.time = FAKE_EPOCH;
	fake.started = FAKE_EPOCH;
	boxes_make();
}

void fake_machine(const char *name, unsigned int nr_dies)
{
	machine_make(name, 0, nr_dies);
}

void fake_only_die(unsigned int die)
{
	machine_make(fake.machine->platform, die, 1);
}

void fake_without(const char *type)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < fake.nr_boxes; i++) {
		if (!strcmp(fake.boxes[i].type, type))
			continue;
		fake.boxes[nr] = fake.boxes[i];
		fake.boxes[nr].box = nr;
		nr++;
	}
	fake.nr_boxes = nr;
}

uint32_t fake_box(const char *type, uint32_t instance, uint32_t die)
{
	for (uint32_t i = 0; i < fake.nr_boxes; i++)
		if (fake.boxes[i].instance == instance && fake.boxes[i].die == die &&
		    !strcmp(fake.boxes[i].type, type))
			return i;
	abort();
}

void fake_own(uint32_t box)
{
	fake.boxes[box].owner = FAKE_OTHER;
	fake.boxes[box].owner_pid = fake.foreign ? 0 : 4711;
	strcpy(fake.boxes[box].owner_comm, "other");
}

void fake_hide(unsigned int box)
{
	memmove(&fake.boxes[box], &fake.boxes[box + 1],
		(--fake.nr_boxes - box) * sizeof(fake.boxes[0]));
	for (unsigned int i = box; i < fake.nr_boxes; i++)
		fake.boxes[i].box = i;
}

void fake_absent(uint32_t box)
{
	fake.boxes[box].flags |= UCORE_BOX_F_ABSENT | UCORE_BOX_F_DEAD;
	for (unsigned int i = 0; i < fake.nr_units; i++)
		if (fake.units[i].box == box)
			fake.units[i].reason = UCORE_UNIT_NO_ANSWER;
}

void fake_cpus(unsigned int nr)
{
	fake.caps |= UCORE_CAP_CORE;
	fake.core = (struct ucore_get_core) {
		.version = 3, .nr_counters = 4, .width = 48, .nr_fixed = 3, .fixed_width = 48,
		.events = 0x7f & ~UCORE_CORE_EVENT_LLC_MISSES,
		.caps = UCORE_CORE_CAP_GLOBAL | UCORE_CORE_CAP_FULL_WIDTH | UCORE_CORE_CAP_ANY,
		.eax = 0x07300403, .ebx = UCORE_CORE_EVENT_LLC_MISSES, .edx = 0x603,
		.nr_kinds = 1, .nr_boxes = nr, .nr_cpus = nr, .type = "core",
	};
	for (unsigned int i = 0; i < nr; i++) {
		uint32_t cpu = FAKE_CPUS * fake.first_die + i;

		box_make(&core_type, domain_make(UCORE_SCOPE_CPU, cpu / FAKE_CPUS, (int32_t)cpu), 0);
	}
}

void fake_atoms(unsigned int nr)
{
	fake.core.nr_kinds = 2;
	fake.core.cpu_type = 0x40;
	fake.atom = fake.core;
	fake.atom.events = 0x7f & ~UCORE_CORE_EVENT_BRANCHES;
	fake.atom.nr_counters = atom_type.counters;
	fake.atom.nr_fixed = atom_type.fixed;
	fake.atom.cpu_type = 0x20;
	fake.atom.nr_boxes = nr;
	fake.atom.nr_cpus = nr;
	memcpy(fake.atom.type, "atom", sizeof("atom"));
	for (unsigned int i = 0; i < nr; i++) {
		uint32_t cpu = FAKE_CPUS * fake.first_die + fake.core.nr_cpus + i;
		uint32_t die = cpu / FAKE_CPUS;

		box_make(&atom_type, domain_make(UCORE_SCOPE_CPU, die, (int32_t)cpu), 0);
	}
}

void fake_reset(unsigned int nr_dies)
{
	fake_machine("ivbep", nr_dies);
}

/* ---- /dev/ucore -------------------------------------------------------- */

static int do_info(struct ucore_get_info *info)
{
	info->abi = fake.abi;
	info->state = fake.state;
	info->caps = fake.caps;
	info->nr_domains = fake.nr_domains;
	info->nr_boxes = fake.nr_boxes;
	info->nr_counters = 0;
	for (unsigned int i = 0; i < fake.nr_boxes; i++)
		info->nr_counters += fake.boxes[i].nr_counters + fake.boxes[i].nr_fixed;
	info->family = 6;
	info->model = machine_model(fake.machine);
	info->stepping = 4;
	memcpy(info->platform, fake.platform, sizeof(info->platform));
	info->cause = fake.cause;
	memcpy(info->reason, fake.reason, sizeof(info->reason));
	return 0;
}

static int do_get_domains(struct ucore_get_domains *get)
{
	get->total = fake.nr_domains;
	if (get->nr > fake.nr_domains)
		get->nr = fake.nr_domains;
	memcpy((void *)(uintptr_t)get->domains, fake.domains, get->nr * sizeof(fake.domains[0]));
	return 0;
}

/* Return true if the box does not respond at the present READ */
static bool is_dying(uint32_t box)
{
	unsigned int nr = fake.calls[_IOC_NR(UCORE_READ)];

	return fake.dies_to && box == fake.dies && nr >= fake.dies_from && nr < fake.dies_to;
}

static int do_get_boxes(struct ucore_get_boxes *get)
{
	struct ucore_box_info *boxes = (void *)(uintptr_t)get->boxes;

	for (unsigned int i = 0; fake.calls[_IOC_NR(UCORE_GET_BOXES)] == fake.own_nr &&
	     i < fake.nr_boxes; i++)
		if (fake.boxes[i].owner == FAKE_OTHER)
			fake.boxes[i].owner = 0;
	get->total = fake.nr_boxes;
	if (get->nr > fake.nr_boxes - get->first)
		get->nr = fake.nr_boxes - get->first;
	memcpy(boxes, &fake.boxes[get->first], get->nr * sizeof(*boxes));
	for (uint32_t i = 0; fake.user && i < get->nr; i++)
		boxes[i].location = 0;
	for (uint32_t i = 0; i < get->nr; i++)
		if (is_dying(boxes[i].box))
			boxes[i].flags |= UCORE_BOX_F_DEAD;
	return 0;
}

/* Functions of the ports of a stack, and the box of the stack */
struct fake_port {
	uint32_t instance;
	uint32_t root;
	uint32_t flags;		/* UCORE_LINK_F_* */
	struct ucore_port_info port;
};

/*
 * Sapphire Rapids: accelerators, of which two have the same ports, the DMI, a PCIe stack, and a
 * stack that is unverified.  Other stacks are not mapped.
 */
static const struct fake_port spr_ports[] = {
	{ 0, 0x6a, 0, { .ports = 7, .bus = 0x6a, .device = 1 } },
	{ 0, 0x6a, 0, { .ports = 7, .bus = 0x6a, .device = 2 } },
	{ 0, 0x6a, 0, { .ports = 1 << 4, .flags = UCORE_PORT_F_UNVERIFIED, .bus = 0x6b } },
	{ 1, 0x00, 0, { .ports = 1 << 7, .device = UCORE_ALL_DEVICES } },
	{ 2, 0x15, 0, { .ports = 1 << 0, .bus = 0x15, .device = 1 } },
	{ 2, 0x15, 0, { .ports = 1 << 2, .bus = 0x15, .device = 3 } },
	{ 2, 0x15, 0, { .ports = 1 << 7, .bus = 0x15, .device = 8 } },
	{ 4, 0x26, UCORE_LINK_F_UNVERIFIED, { .ports = 1 << 0, .bus = 0x26, .device = 1 } },
};

static const struct fake_port *spr_stack(const struct ucore_box_info *box)
{
	for (size_t i = 0; i < sizeof(spr_ports) / sizeof(spr_ports[0]); i++)
		if (!strncmp(box->type, "iio", 3) && box->instance == spr_ports[i].instance &&
		    !box->die)
			return &spr_ports[i];
	return NULL;
}

/* Link 0 has a speed, link 1 has none that is known, the others are down */
static struct ucore_link_info spr_end(const struct ucore_box_info *box)
{
	struct ucore_link_info end = { .box = box->box };
	const struct fake_port *stack = spr_stack(box);

	if (stack) {
		end.kind = UCORE_LINK_BUS;
		end.bus = stack->root;
		end.flags = stack->flags;
	} else if (!strcmp(box->type, "upi")) {
		end.kind = box->instance < 2 ? UCORE_LINK_UPI : UCORE_LINK_DOWN;
		end.die = box->instance < 2 ? box->die ^ 1 : 0;
		end.link = box->instance < 2 ? box->instance ^ 1 : 0;
		end.speed = box->instance ? 0 : 16000;
	}
	return end;
}

/*
 * The stacks of Skylake-SP and Ice Lake-SP are 16 buses apart, and the last one does not exist.
 * Links connect to those of the other die in reverse order, and the last one is not trained. QPI
 * links have a speed, and so have UPI links of later platforms.
 */
static struct ucore_link_info end_of(const struct ucore_box_info *box)
{
	struct ucore_link_info end = { .box = box->box };
	bool last;

	if (!strcmp(fake.platform, "spr"))
		return spr_end(box);
	if (!strcmp(box->type, "qpi"))
		end.speed = 9600;
	if (!strcmp(box->type, "upi") && strcmp(fake.platform, "skx") &&
	    strcmp(fake.platform, "icx"))
		end.speed = 16000;
	if (strcmp(fake.platform, "skx") && strcmp(fake.platform, "icx"))
		return end;
	if (!strncmp(box->type, "iio", 3) || !strcmp(box->type, "irp")) {
		last = box->instance == 5;
		end.kind = last ? UCORE_LINK_NONE : UCORE_LINK_BUS;
		end.bus = last ? 0 : 0x80 * box->die + 0x10 * box->instance;
	} else if (!strcmp(box->type, "upi")) {
		last = box->instance == 2;
		end.kind = last ? UCORE_LINK_DOWN : UCORE_LINK_UPI;
		end.die = last ? 0 : fake.nr_dies > 1 ? box->die ^ 1 : UCORE_NO_DIE;
		end.link = last ? 0 : box->instance ^ 1;
	}
	return end;
}

static int do_get_ends(struct ucore_get_links *get)
{
	struct ucore_link_info *ends = (void *)(uintptr_t)get->links;

	get->total = fake.nr_boxes;
	if (get->nr > fake.nr_boxes - get->first)
		get->nr = fake.nr_boxes - get->first;
	for (uint32_t i = 0; i < get->nr; i++)
		ends[i] = end_of(&fake.boxes[get->first + i]);
	return 0;
}

/* Write the functions of a box; Skylake-SP has root ports 0 to 2 in stack 1 of die 0 only */
static int do_get_ports(struct ucore_get_ports *get)
{
	struct ucore_port_info *ports = (void *)(uintptr_t)get->ports;
	const struct ucore_box_info *box;
	uint32_t capacity = get->nr;

	if (get->box >= fake.nr_boxes)
		return -ENOENT;
	box = &fake.boxes[get->box];
	get->total = 0;
	for (uint32_t p = 0; end_of(box).bus == 0x10 && p < 3; p++)
		if (get->total++ < capacity)
			ports[p] = (struct ucore_port_info) {
				.ports = 1U << p, .bus = 0x10, .device = p,
			};
	for (size_t i = 0; !strcmp(fake.platform, "spr") &&
	     i < sizeof(spr_ports) / sizeof(spr_ports[0]); i++)
		if (spr_stack(box) && spr_ports[i].instance == box->instance &&
		    get->total++ < capacity)
			ports[get->total - 1] = spr_ports[i].port;
	get->nr = get->total < capacity ? get->total : capacity;
	return 0;
}

static int do_get_tables(struct ucore_get_tables *get)
{
	struct ucore_table_info *tables = (void *)(uintptr_t)get->tables;

	get->total = fake.nr_tables;
	if (get->nr > fake.nr_tables)
		get->nr = fake.nr_tables;
	for (uint32_t i = 0; i < get->nr; i++) {
		tables[i] = fake.tables[i];
		if (fake.user) {
			tables[i].address = 0;
			tables[i].global = 0;
		}
	}
	return 0;
}

static int do_get_units(struct ucore_get_units *get)
{
	struct ucore_unit_info *units = (void *)(uintptr_t)get->units;

	get->total = fake.nr_units;
	if (get->first > fake.nr_units)
		get->first = fake.nr_units;
	if (get->nr > fake.nr_units - get->first)
		get->nr = fake.nr_units - get->first;
	for (uint32_t i = 0; i < get->nr; i++) {
		units[i] = fake.units[get->first + i];
		if (fake.user)
			units[i].word[1] = 0;
	}
	return 0;
}

static int do_get_fields(struct ucore_get_fields *get)
{
	struct ucore_field_info *fields = (void *)(uintptr_t)get->fields;
	uint32_t nr = 0;

	if (get->box >= fake.nr_boxes)
		return -ENOENT;
	for (size_t i = 0; i < NR(all_fields); i++) {
		const struct ucore_field_info *field = field_of(&fake.boxes[get->box],
							   all_fields[i].field);

		if (!field)
			continue;
		if (nr < get->nr)
			fields[nr] = *field;
		nr++;
	}
	get->total = nr;
	if (get->nr > nr)
		get->nr = nr;
	return 0;
}

static int do_create(struct ucore_create_session *create)
{
	if (fake.state == UCORE_STATE_INTREE && fake.caps & UCORE_CAP_CORE)
		;	/* core events can be counted */
	else if (fake.state)
		return fake.state == UCORE_STATE_INTREE ? -EBUSY : -ENODEV;
	if (create->rotate_ns && (create->timer_ns || create->ring_size || create->nr_readers > 1))
		return -EINVAL;
	if (create->nr_readers > UCORE_READERS_MAX)
		return -ERANGE;
	if (create->flags & UCORE_SESSION_F_TASKS && fake.user)
		return -EACCES;
	if (fake.ring && create->ring_size != fake.ring)
		return -ENOMEM;
	fake.session_fd = eventfd(0, EFD_CLOEXEC);
	create->fd = fake.session_fd;
	fake.config = *create;
	fake.nr_core_triggers = 0;
	fake.status.session = 1;
	fake.nr_opens++;
	return fake.session_fd < 0 ? -EMFILE : 0;
}

/* ---- events ------------------------------------------------------------ */

static int terms_check(const struct ucore_box_info *box, const struct ucore_add_event *add)
{
	const struct ucore_term *terms = (void *)(uintptr_t)add->terms;

	if (add->nr_terms > UCORE_TERMS_MAX)
		return -EINVAL;
	for (uint32_t i = 0; i < add->nr_terms; i++) {
		const struct ucore_field_info *field = field_of(box, terms[i].field);

		if (!field)
			return -ENXIO;
		if (terms[i].value > field->max || terms[i].value & ~field->mask)
			return -ERANGE;
		for (uint32_t j = 0; j < i; j++)
			if (terms[j].field == terms[i].field)
				return -EINVAL;
	}
	return 0;
}

static bool shared_conflict(const struct fake_event *event, const struct ucore_add_event *add)
{
	const struct ucore_term *terms = (void *)(uintptr_t)add->terms;

	for (uint32_t i = 0; i < add->nr_terms; i++)
		for (uint32_t j = 0; j < event->nr_terms; j++)
			if (terms[i].field == event->terms[j].field &&
			    field_of(&fake.boxes[add->box], terms[i].field)->flags &
			    UCORE_FIELD_F_SHARED &&
			    terms[i].value != event->terms[j].value)
				return true;
	return false;
}

/* Events of different groups can share a counter */
static bool are_rivals(const struct fake_event *event, uint32_t group)
{
	return !event->group || !group || event->group == group;
}

static struct fake_event *event_on(uint32_t box, unsigned int counter, uint32_t group)
{
	for (unsigned int i = 0; i < fake.nr_events; i++)
		if (fake.events[i].box == box && fake.events[i].counter == counter &&
		    are_rivals(&fake.events[i], group))
			return &fake.events[i];
	return NULL;
}

static uint64_t counters_used(uint32_t box, uint32_t group)
{
	uint64_t used = 0;

	for (unsigned int i = 0; i < fake.nr_events; i++)
		if (fake.events[i].box == box && are_rivals(&fake.events[i], group))
			used |= 1ULL << fake.events[i].counter;
	return used;
}

/* Find a counter, moving other events if necessary as the driver does; -1 if none */
static int counter_take(uint32_t box, uint32_t group, uint64_t may, uint64_t *tried)
{
	uint64_t unused = may & ~counters_used(box, group);

	if (unused)
		return __builtin_ctzll(unused);
	while (may & ~*tried) {
		int counter = __builtin_ctzll(may & ~*tried);
		struct fake_event *other = event_on(box, (unsigned int)counter, group);
		int moved;

		*tried |= 1ULL << counter;
		moved = counter_take(box, group, other->may & ~*tried, tried);
		if (moved < 0)
			continue;
		other->counter = (uint32_t)moved;
		return counter;
	}
	return -1;
}

static int counter_choose(const struct ucore_box_info *box, const struct ucore_add_event *add,
			  uint64_t *may)
{
	uint64_t have = ((1ULL << box->nr_counters) - 1) |
			((1ULL << box->nr_fixed) - 1) << UCORE_COUNTER_FIXED;
	uint64_t tried = 0;
	int counter;

	*may = (add->counters ? add->counters : COUNTERS_ALL) & have;
	if (fake.event_counters)
		*may &= fake.event_counters;
	if (!*may)
		return -ENXIO;
	counter = counter_take(box->box, add->group, *may, &tried);
	return counter < 0 ? -ENOSPC : counter;
}

/* Return the polling interval, assuming at most one count per cycle at 5 GHz as the driver does */
static int period_check(const struct ucore_box_info *box, struct ucore_add_event *add)
{
	bool silent = fake.config.flags & UCORE_SESSION_F_NO_PMI;
	/* the trial of overflows passes on discovery platforms */
	bool overflows = box->flags & UCORE_BOX_F_OVERFLOW ||
			 (silent && fake.caps & UCORE_CAP_DISCOVERY);

	add->poll_ns = 0;
	if (!add->period)
		return 0;
	if (overflows && (silent || fake.caps & UCORE_CAP_OVERFLOW_PMI)) {
		if (silent)
			add->poll_ns = UCORE_POLL_MIN_NS;
		return add->period >> box->width ? -ERANGE : 0;
	}
	if (add->flags & UCORE_EVENT_F_NO_POLL || silent)
		return -EOPNOTSUPP;
	if (add->period / 5 < UCORE_POLL_MIN_NS)
		return -ERANGE;
	add->poll_ns = add->period / 5 > UCORE_POLL_MAX_NS ? UCORE_POLL_MAX_NS : add->period / 5;
	return 0;
}

/* Return the error of a box that refuses events, which a test chose */
static int refused(const struct ucore_box_info *box)
{
	unsigned int nr = 0;

	if (fake.refused_type && !strcmp(fake.refused_type, box->type))
		return -fake.refused_code;
	for (unsigned int i = 0; i < fake.nr_events; i++)
		nr += fake.events[i].box == box->box;
	return fake.refused_counter && fake.refused_box == box->box && nr >= fake.refused_counter ?
	       -EBUSY : 0;
}

static int do_event_add(struct ucore_add_event *add)
{
	struct fake_event *event = &fake.events[fake.nr_events];
	struct ucore_box_info *box;
	uint64_t may;
	int ret;

	if (fake.running)
		return -EBUSY;
	if (fake.nr_events == FAKE_MAX_EVENTS)
		return -ENOMEM;
	if (add->box >= fake.nr_boxes)
		return -ENOENT;
	if (add->reserved || add->group > UCORE_GROUP_MAX ||
	    (fake.config.rotate_ns ? add->period : add->group))
		return -EINVAL;
	box = &fake.boxes[add->box];
	if (box->flags & UCORE_BOX_F_DEAD)
		return -ENODEV;
	if (box->owner && box->owner != fake.status.session)
		return -EBUSY;
	ret = refused(box);
	if (ret)
		return ret;
	ret = terms_check(box, add);
	if (ret)
		return ret;
	ret = period_check(box, add);
	if (ret)
		return ret;
	for (unsigned int i = 0; i < fake.nr_events; i++)
		if (fake.events[i].box == add->box && shared_conflict(&fake.events[i], add))
			return -EADDRINUSE;
	ret = counter_choose(box, add, &may);
	if (ret < 0)
		return ret;

	box->owner = fake.status.session;
	*event = (struct fake_event) {
		.id = fake.next_event++, .box = add->box, .counter = (uint32_t)ret,
		.nr_terms = add->nr_terms, .may = may, .period = add->period,
		.group = add->group,
	};
	if (add->nr_terms)
		memcpy(event->terms, (void *)(uintptr_t)add->terms,
		       add->nr_terms * sizeof(event->terms[0]));
	add->event = event->id;
	add->counter = event->counter;
	fake.nr_events++;
	return 0;
}

static int do_event_remove(struct ucore_remove_event *remove)
{
	for (unsigned int i = 0; i < fake.nr_events; i++) {
		if (fake.events[i].id != remove->event)
			continue;
		memmove(&fake.events[i], &fake.events[i + 1],
			(--fake.nr_events - i) * sizeof(fake.events[0]));
		return 0;
	}
	return -ENOENT;
}

/* ---- counting ---------------------------------------------------------- */

uint64_t fake_step(const struct fake_event *event)
{
	return 1000 * (event->box + 1) + event->counter;
}

/* Return the factor of a wave: from 1 to 8 and back, shifted by one READ for each domain */
static uint64_t wave(uint32_t domain)
{
	uint64_t phase = ((fake.time - FAKE_EPOCH) / 1000000000 + domain) % 14;

	if (!fake.wave)
		return 1;
	return phase < 8 ? phase + 1 : 15 - phase;
}

/* Return the factor of step_at, step_by and step_for */
static uint64_t busy(void)
{
	uint64_t samples = fake.status.samples;

	if (!fake.step_at || samples < fake.step_at ||
	    (fake.step_for && samples % fake.step_at >= fake.step_for))
		return 1;
	return fake.step_by;
}

/* Return the flags of a value: a box that responds again has a gap */
static uint32_t flags_of(uint32_t box)
{
	uint32_t flags = (uint32_t)fake.value_flags;

	if (is_dying(box))
		flags |= UCORE_VALUE_F_DEAD;
	if (fake.dies_to && box == fake.dies && fake.calls[_IOC_NR(UCORE_READ)] == fake.dies_to)
		flags |= UCORE_VALUE_F_GAP;
	return flags;
}

static void counts_move(uint32_t domain)
{
	for (unsigned int i = 0; i < fake.nr_events; i++)
		if (fake.boxes[fake.events[i].box].domain == domain &&
		    !is_dying(fake.events[i].box))
			fake.events[i].count += fake_step(&fake.events[i]) * fake.scale *
						wave(domain) * busy();
}

static bool domain_used(uint32_t domain)
{
	for (unsigned int i = 0; i < fake.nr_events; i++)
		if (fake.boxes[fake.events[i].box].domain == domain)
			return true;
	return false;
}

static uint32_t reader_of(uint32_t domain)
{
	return (uint32_t)fake.domains[domain].reader;
}

static uint32_t nr_groups(void)
{
	uint64_t groups = 0;

	for (unsigned int i = 0; i < fake.nr_events; i++)
		if (fake.events[i].group)
			groups |= 1ULL << fake.events[i].group;
	return (uint32_t)__builtin_popcountll(groups);
}

/* All groups have equal time slices, in which their events count */
static void turns_fill(const struct fake_event *event, struct ucore_value *value,
		       uint64_t *running)
{
	*running = (fake.time - fake.started) / 10 * 9;
	if (fake.config.flags & UCORE_SESSION_F_MULTIPLEX && fake.share) {
		*running = *running / 100 * fake.share;
		value->count = value->count / 100 * fake.share;
	}
	if (!event->group)
		return;
	*running /= nr_groups();
	value->count /= nr_groups();
}

/* The last reader of a parallel read never takes part */
static void helpers_count(unsigned int nr_domains)
{
	if (fake.config.nr_readers > 1)
		fake.status.parallel_reads += nr_domains * (fake.config.nr_readers - 2);
}

static int do_read(struct ucore_read *read)
{
	struct ucore_value *values = (void *)(uintptr_t)read->values;
	struct ucore_read_domain *domains = (void *)(uintptr_t)read->domains;
	uint32_t nr = 0;

	if (read->flags & ~UCORE_READ_F_NO_FREEZE)
		return -EINVAL;
	if (!fake.nr_events)
		return -ENOENT;
	if (read->nr_values < fake.nr_events)
		return -ENOSPC;
	fake.time += fake.read_ns;
	for (uint32_t domain = 0; domain < fake.nr_domains; domain++) {
		if (!domain_used(domain))
			continue;
		if (fake.running)
			counts_move(domain);
		domains[nr++] = (struct ucore_read_domain) {
			.domain = domain, .cpu = reader_of(domain), .time = fake.time,
			.frozen_ns = read->flags & UCORE_READ_F_NO_FREEZE ? 0 : 5000,
			.time_enabled = fake.time - fake.started,
			.time_running = (fake.time - fake.started) / 10 * 9,
		};
	}
	for (unsigned int i = 0; i < fake.nr_events; i++)
		values[i] = (struct ucore_value) {
			.event = fake.events[i].id, .flags = flags_of(fake.events[i].box),
			.count = fake.calls[_IOC_NR(UCORE_READ)] == fake.back ? 1 :
				 fake.events[i].count,
		};
	for (unsigned int i = 0; read->running && i < fake.nr_events; i++)
		turns_fill(&fake.events[i], &values[i],
			   &((uint64_t *)(uintptr_t)read->running)[i]);
	read->nr_values = fake.nr_events;
	read->nr_domains = nr;
	read->skew_ns = 120;
	fake.status.reads += 10;
	fake.status.writes += 2;
	fake.status.frozen_ns += 5000;
	if (!(read->flags & UCORE_READ_F_NO_FREEZE))
		helpers_count(nr);
	return 0;
}

static uint64_t timer_min(void)
{
	return fake.budget.sample_ns * 2 > UCORE_TIMER_MIN_NS ? fake.budget.sample_ns * 2 :
								UCORE_TIMER_MIN_NS;
}

static int do_start(void)
{
	if (!fake.nr_events)
		return -ENOENT;
	if (fake.running)
		return -EALREADY;
	if (fake.config.timer_ns && fake.config.timer_ns < timer_min())
		return -ERANGE;
	fake.running = true;
	fake.started = fake.time;
	return 0;
}

static int do_ring_info(struct ucore_get_ring *info)
{
	if (!fake.config.ring_size || info->domain >= fake.nr_domains ||
	    !domain_used(info->domain))
		return -ENOENT;
	info->data_size = fake.config.ring_size;
	info->consumer = (uint64_t)info->domain << 32;
	info->producer = (uint64_t)info->domain << 32 | PAGE;
	return 0;
}

static int do_status(struct ucore_get_status *status)
{
	uint32_t size = status->size;

	*status = fake.status;
	status->size = size;
	status->state = fake.running;
	status->nr_events = fake.nr_events;
	return 0;
}

static int do_budget(struct ucore_get_budget *budget)
{
	uint32_t size = budget->size;

	*budget = fake.budget;
	budget->size = size;
	budget->percent = 50;
	budget->timer_min_ns = timer_min();
	return 0;
}

/* ---- ring -------------------------------------------------------------- */

/* Return the bytes that a record needs at this position, including a PAD before it */
static uint32_t ring_need(uint64_t at, uint32_t size)
{
	uint32_t to_end = fake.config.ring_size - (uint32_t)(at & (fake.config.ring_size - 1));

	return size > to_end ? to_end + size : size;
}

static void ring_store(struct fake_ring *ring, const void *record, uint32_t size)
{
	struct ucore_ring_producer *producer = (void *)ring->map;
	uint64_t head = producer->head;
	uint32_t pad[2] = { UCORE_RECORD_PAD, ring_need(head, size) - size };
	uint32_t mask = fake.config.ring_size - 1;

	if (pad[1])
		memcpy(ring->map + PAGE + (head & mask), pad, sizeof(pad));
	head += pad[1];
	memcpy(ring->map + PAGE + (head & mask), record, size);
	__atomic_store_n(&producer->head, head + size, __ATOMIC_RELEASE);
}

/* As in the kernel, a pending LOST record is written first, and only if both fit */
void fake_put(unsigned int domain, void *record, uint32_t size)
{
	struct fake_ring *ring = &fake.rings[domain];
	struct ucore_ring_producer *producer = (void *)ring->map;
	struct ucore_lost lost = {
		.hdr = { UCORE_RECORD_LOST, sizeof(lost), ring->seq },
		.lost = ring->pending_lost, .time = fake.time,
	};
	uint32_t first = lost.lost ? ring_need(producer->head, sizeof(lost)) : 0;
	uint32_t need = first + ring_need(producer->head + first, size);

	if (producer->head + need - __atomic_load_n(&ring->consumer->tail, __ATOMIC_ACQUIRE) >
	    fake.config.ring_size) {
		producer->lost++;
		ring->pending_lost++;
		ring->seq++;
		fake.status.lost++;
		return;
	}
	if (lost.lost) {
		ring_store(ring, &lost, sizeof(lost));
		ring->pending_lost = 0;
		ring->seq++;
	}
	((struct ucore_record *)record)->seq = ring->seq++;
	ring_store(ring, record, size);
}

/* Periods that the timer dropped count as lost */
static void periods_drop(struct fake_ring *ring)
{
	((struct ucore_ring_producer *)ring->map)->lost += fake.stretch;
	ring->pending_lost += fake.stretch;
	ring->seq += fake.stretch;
	fake.status.lost += fake.stretch;
	fake.status.samples += fake.stretch;
	fake.budget.dropped += fake.stretch;
	fake.budget.delayed++;
}

/* Write the tasks of three CPUs: busy, idle, and unknown */
static void tasks_put(unsigned int domain)
{
	struct {
		struct ucore_tasks head;
		struct ucore_task tasks[3];
	} record = {
		.head = { .hdr = { UCORE_RECORD_TASKS, sizeof(record), 0 },
			  .time = fake.time, .domain = domain, .nr_tasks = 3 },
		.tasks = {
			{ reader_of(domain), UCORE_TASK_F_KNOWN, 42, 43, fake.time - 1000, "worker" },
			{ reader_of(domain) + 1, UCORE_TASK_F_KNOWN, 0, 0, fake.started, "swapper/1" },
			{ reader_of(domain) + 2, 0, 0, 0, 0, "" },
		},
	};

	fake_put(domain, &record, sizeof(record));
}

/* Fill the members that depend on the sample's trigger */
static void trigger_put(struct ucore_sample *sample, uint32_t period_of)
{
	sample->trigger = period_of == UCORE_EVENT_NONE ? UCORE_TRIGGER_TIMER :
							  UCORE_TRIGGER_OVERFLOW;
	sample->trigger_event = period_of;
	if (!fake.nr_core_triggers)
		return;
	sample->trigger = UCORE_TRIGGER_CORE;
	sample->flags |= UCORE_SAMPLE_F_USER;
	sample->ip = 0x401234;
	sample->late_ns = 1700;
	if (fake.core_trigger.tid)
		sample->pid = sample->tid = fake.core_trigger.tid;
	else
		sample->cpu = (uint32_t)fake.core_trigger.cpu;
}

void fake_sample(unsigned int domain)
{
	static struct {
		struct ucore_sample head;
		struct ucore_value values[FAKE_MAX_EVENTS];
	} sample;
	uint32_t nr = 0, trigger = UCORE_EVENT_NONE;

	fake.time += 1000000;
	counts_move(domain);
	for (unsigned int i = 0; i < fake.nr_events; i++) {
		if (fake.boxes[fake.events[i].box].domain != domain)
			continue;
		if (trigger == UCORE_EVENT_NONE && fake.events[i].period)
			trigger = fake.events[i].id;
		sample.values[nr++] = (struct ucore_value) {
			.event = fake.events[i].id, .count = fake.events[i].count,
			.flags = fake.events[i].id == trigger ? UCORE_VALUE_F_OVERFLOW : 0,
		};
	}
	sample.head = (struct ucore_sample) {
		.hdr = { UCORE_RECORD_SAMPLE,
			 (uint32_t)(sizeof(sample.head) + nr * sizeof(sample.values[0])),
			 0 },
		.time = fake.time, .time_enabled = fake.time - fake.started,
		.time_running = fake.time - fake.started,
		.frozen_ns = 1500, .ip = 0xffffffff81000123, .pid = 42, .tid = 43,
		.cpu = reader_of(domain), .domain = domain,
		.flags = UCORE_SAMPLE_F_CONTEXT, .nr_values = nr,
	};
	trigger_put(&sample.head, trigger);
	if (trigger != UCORE_EVENT_NONE && fake.config.flags & UCORE_SESSION_F_NO_PMI) {
		sample.head.flags = UCORE_SAMPLE_F_POLLED | UCORE_SAMPLE_F_FROZEN;
		sample.head.late_ns = 65000;
		sample.head.ip = 0;
		sample.head.pid = 0;
		sample.head.tid = 0;
	}
	if (fake.stretch) {
		periods_drop(&fake.rings[domain]);
		sample.head.flags |= UCORE_SAMPLE_F_DELAYED;
	}
	fake.status.samples++;
	fake.status.cost_ns += 2500;
	fake.status.reads += 10;
	fake.status.writes += 3;
	fake.status.frozen_ns += 1500;
	helpers_count(1);
	if (fake.config.flags & UCORE_SESSION_F_TASKS)
		tasks_put(domain);
	fake_put(domain, &sample, sample.head.hdr.size);
}

/* The domain's reader went offline without a successor */
static void fake_gap(unsigned int domain)
{
	struct ucore_gap gap = {
		.hdr = { UCORE_RECORD_GAP, sizeof(gap), 0 },
		.time = fake.time, .domain = domain, .reason = fake.gap,
		.cpu_from = fake.domains[domain].reader, .cpu_to = -1,
		.box = fake.gap == UCORE_GAP_BOX_DEAD ? fake_box("imc", 2, domain) : UCORE_ANY,
	};

	fake_put(domain, &gap, sizeof(gap));
}

/* ---- system calls ------------------------------------------------------ */

static int fake_open(const char *path, int flags)
{
	(void)path;
	(void)flags;
	if (fake.open_errno) {
		errno = fake.open_errno;
		/* the device becomes available after open_nr failures */
		if (fake.open_nr && !--fake.open_nr)
			fake.open_errno = 0;
		return -1;
	}
	fake.nr_opens++;
	return FAKE_FD;
}

static int fake_close(int fd)
{
	fake.nr_opens--;
	if (fd != FAKE_FD)
		close(fd);
	/* closing an older session does not affect a newer one */
	if (fd == fake.session_fd) {
		fake.session_fd = -1;
		fake.nr_events = 0;
		fake.running = false;
	}
	return 0;
}

static int do_get_core(struct ucore_get_core *core)
{
	uint32_t size = core->size, kind = core->kind;

	if (!fake.core.version)
		return -ENOTTY;
	if (kind > !!fake.atom.version)
		return -ENOENT;
	*core = kind ? fake.atom : fake.core;
	if (!core->nr_kinds) {		/* set up without fake_cpus() */
		core->nr_kinds = 1;
		memcpy(core->type, "core", sizeof("core"));
	}
	core->size = size;
	core->kind = kind;
	return 0;
}

struct ucore_session_info *fake_other(uint64_t id, uint32_t nr_boxes, uint32_t nr_pinned)
{
	struct ucore_session_info *session = &fake.sessions[fake.nr_sessions++];

	*session = (struct ucore_session_info) {
		.session = id, .pid = 4711, .uid = 1000, .state = UCORE_SESSION_RUNNING,
		.nr_events = nr_boxes, .nr_boxes = nr_boxes, .nr_domains = !!nr_boxes,
		.nr_pinned = nr_pinned, .comm = "other",
	};
	return session;
}

static int do_get_sessions(struct ucore_get_sessions *get)
{
	struct ucore_session_info *out = (void *)(uintptr_t)get->sessions;
	uint32_t capacity = get->nr;

	get->nr = 0;
	for (unsigned int i = 0; i < fake.nr_sessions && get->nr < capacity; i++)
		if (fake.sessions[i].session > get->after)
			out[get->nr++] = fake.sessions[i];
	get->total = fake.nr_sessions;
	return 0;
}

static int do_revoke_session(const struct ucore_revoke_session *end)
{
	if (fake.user)
		return -EPERM;
	for (unsigned int i = 0; i < fake.nr_sessions; i++) {
		if (fake.sessions[i].session != end->session)
			continue;
		fake.sessions[i].state = UCORE_SESSION_REVOKED;
		return 0;
	}
	return -ENOENT;
}

static int do_get_selftest(struct ucore_get_selftest *get)
{
	if (get->box >= fake.nr_boxes)
		return -ENOENT;
	get->tested = fake.untested ? 0 :
		      UCORE_SELFTEST_WIDTH | UCORE_SELFTEST_CONTROL | UCORE_SELFTEST_RUN |
		      UCORE_SELFTEST_GLOBAL_FREEZE | UCORE_SELFTEST_BOX_FREEZE;
	get->failed = get->box == fake.bad_box ? fake.bad_selftest : 0;
	get->found = get->box == fake.bad_box ? fake.bad_found : 0;
	get->width = fake.boxes[get->box].width;
	get->fixed_width = 0;
	get->missing = 0;
	get->reads = 20;
	get->writes = 30;
	get->reserved = 0;
	snprintf(get->reason, sizeof(get->reason), "%s", get->failed ? "it lies" : "");
	return 0;
}

static int device_command(unsigned long command, void *arg)
{
	switch (command) {
	case UCORE_GET_INFO:
		return do_info(arg);
	case UCORE_GET_DOMAINS:
		return do_get_domains(arg);
	case UCORE_GET_BOXES:
		return do_get_boxes(arg);
	case UCORE_GET_FIELDS:
		return do_get_fields(arg);
	case UCORE_CREATE_SESSION:
		return do_create(arg);
	case UCORE_GET_TABLES:
		return fake.old ? -ENOTTY : do_get_tables(arg);
	case UCORE_GET_UNITS:
		return fake.old ? -ENOTTY : do_get_units(arg);
	case UCORE_GET_CORE:
		return do_get_core(arg);
	case UCORE_GET_LINKS:
		return fake.old ? -ENOTTY : do_get_ends(arg);
	case UCORE_GET_PORTS:
		return fake.old ? -ENOTTY : do_get_ports(arg);
	case UCORE_GET_SELFTEST:
		return fake.old ? -ENOTTY : do_get_selftest(arg);
	case UCORE_GET_SESSIONS:
		return fake.old ? -ENOTTY : do_get_sessions(arg);
	case UCORE_REVOKE_SESSION:
		return do_revoke_session(arg);
	default:
		return -ENOTTY;
	}
}

static int do_set_pmi_cpus(const struct ucore_set_pmi_cpus *set)
{
	const uint32_t *cpus = (void *)(uintptr_t)set->cpus;

	if (!set->nr || set->nr > UCORE_PMI_CPUS_MAX)
		return -EINVAL;
	for (uint32_t i = 0; i < set->nr; i++) {
		fake.pmi_cpu = cpus[i];
		if (cpus[i] >= 16)
			return -ENOENT;
		for (uint32_t j = 0; j < i; j++)
			if (cpus[i] == cpus[j])
				return -EINVAL;
	}
	fake.nr_pmi_cpus = set->nr;
	return 0;
}

static int do_core_trigger(const struct ucore_add_core_trigger *trigger)
{
	if ((trigger->cpu < 0) == !trigger->tid || !trigger->period)
		return -EINVAL;
	if (fake.user)
		return -EACCES;
	if (trigger->cpu >= 16)
		return -ENOENT;
	if (trigger->tid && kill((pid_t)trigger->tid, 0))
		return -ESRCH;
	if (fake.running)
		return -EBUSY;
	fake.core_trigger_before = fake.core_trigger;
	fake.core_trigger = *trigger;
	fake.nr_core_triggers++;
	return 0;
}

static int session_command(unsigned long command, void *arg)
{
	switch (command) {
	case UCORE_ADD_EVENT:
		return do_event_add(arg);
	case UCORE_REMOVE_EVENT:
		return do_event_remove(arg);
	case UCORE_SET_PMI_CPUS:
		return do_set_pmi_cpus(arg);
	case UCORE_ADD_CORE_TRIGGER:
		return do_core_trigger(arg);
	case UCORE_START:
		return do_start();
	case UCORE_STOP:
		fake.running = false;
		return 0;
	case UCORE_RESET:
		for (unsigned int i = 0; i < fake.nr_events; i++)
			fake.events[i].count = 0;
		return 0;
	case UCORE_READ:
		return do_read(arg);
	case UCORE_GET_STATUS:
		return do_status(arg);
	case UCORE_GET_RING:
		return do_ring_info(arg);
	case UCORE_GET_BUDGET:
		return do_budget(arg);
	default:
		return -ENOTTY;
	}
}

static void lie(unsigned long command, void *arg)
{
	struct ucore_get_tables *tables = arg;
	struct ucore_get_units *units = arg;

	if (command == UCORE_GET_TABLES) {
		tables->nr++;
		tables->total += fake.lie_total;
	} else if (command == UCORE_GET_UNITS) {
		units->nr++;
		units->total += fake.lie_total;
	}
}

static int fake_ioctl(int fd, unsigned long command, void *arg)
{
	unsigned int nr = _IOC_NR(command) % 32;
	int ret;

	fake.calls[nr]++;
	if (nr == fake.fail_command && fake.calls[nr] > fake.fail_skip &&
	    (!fake.fail_nr || fake.calls[nr] - fake.fail_skip <= fake.fail_nr))
		ret = -fake.fail_errno;
	else
		ret = fd == FAKE_FD ? device_command(command, arg) : session_command(command, arg);
	if (nr == fake.lie_command)
		lie(command, arg);
	if (!ret)
		return 0;
	errno = -ret;
	return -1;
}

static void *fake_mmap(size_t length, int prot, int fd, uint64_t offset)
{
	struct fake_ring *ring = &fake.rings[offset >> 32];
	bool producer = offset & PAGE;

	if (fd != fake.session_fd || !fake.mmap_skip ||
	    producer == !!(prot & PROT_WRITE) ||
	    length != (producer ? PAGE + fake.config.ring_size : PAGE)) {
		errno = fake.mmap_skip ? EPERM : ENOMEM;
		return MAP_FAILED;
	}
	if (fake.mmap_skip > 0)
		fake.mmap_skip--;
	fake.nr_maps++;
	if (producer)
		return ring->map = aligned_alloc(PAGE, length), memset(ring->map, 0, length);
	ring->consumer = aligned_alloc(PAGE, PAGE);
	return memset(ring->consumer, 0, PAGE);
}

static int fake_munmap(void *address, size_t length)
{
	(void)length;
	for (unsigned int i = 0; i < FAKE_MAX_DOMAINS; i++) {
		if (fake.rings[i].map == address)
			fake.rings[i].map = NULL;
		else if ((void *)fake.rings[i].consumer == address)
			fake.rings[i].consumer = NULL;
		else
			continue;
		free(address);
		fake.nr_maps--;
		return 0;
	}
	abort();
}

/* A running session with rings produces samples at every poll and is always readable */
static int fake_poll(struct pollfd *fds, nfds_t nr, int timeout)
{
	bool produce = fake.running && fake.config.ring_size && fake.batch;
	struct pollfd *session = NULL;
	int ready;

	for (nfds_t i = 0; i < nr; i++)
		if (fds[i].fd == fake.session_fd)
			session = &fds[i];
	ready = poll(fds, nr, session && produce ? 1 : timeout);
	if (ready < 0 || !session || !produce)
		return ready;
	for (unsigned int domain = 0; fake.gap && domain < fake.nr_domains; domain++)
		if (fake.rings[domain].map)
			fake_gap(domain);
	fake.gap = 0;
	for (unsigned int i = 0; i < fake.batch; i++)
		for (unsigned int domain = 0; domain < fake.nr_domains; domain++)
			if (fake.rings[domain].map)
				fake_sample(domain);
	session->revents = POLLIN;
	return ready + 1;
}

const struct ucore_sys fake_sys = {
	.open = fake_open,
	.close = fake_close,
	.ioctl = fake_ioctl,
	.mmap = fake_mmap,
	.munmap = fake_munmap,
	.poll = fake_poll,
};

/* ---- scenario ---------------------------------------------------------- */

/* Parse "ID:BOXES:PINNED", optionally with ":KIB:US:STATE" of rings and timer */
static void scenario_session(const char *value)
{
	unsigned int id, boxes, pinned, kib = 0, us = 0, state = UCORE_SESSION_RUNNING;
	struct ucore_session_info *session;

	if (sscanf(value, "%u:%u:%u:%u:%u:%u", &id, &boxes, &pinned, &kib, &us, &state) < 3)
		abort();
	session = fake_other(id, boxes, pinned);
	session->ring_size = kib * 1024;
	session->timer_ns = us * 1000ull;
	session->state = state;
}

/* Parse "imc1", "1/imc1" (of die 1), or "imc1:9" (in use until the ninth GET_BOXES) */
static void scenario_own(char *name)
{
	char *colon = strchr(name, ':'), *slash = strchr(name, '/');
	uint32_t die = slash ? (uint32_t)atoi(name) : UCORE_ANY;

	if (slash)
		name = slash + 1;
	if (colon) {
		*colon = 0;
		fake.own_nr = (unsigned int)atoi(colon + 1);
	}
	for (unsigned int i = 0; i < fake.nr_boxes; i++) {
		char text[32];

		snprintf(text, sizeof(text), "%s%u", fake.boxes[i].type, fake.boxes[i].instance);
		if (strcmp(text, name) || (die != UCORE_ANY && fake.boxes[i].die != die))
			continue;
		fake_own(i);
	}
}

/* Parse "reason:type:name:id:other" */
static void scenario_reject(const char *value)
{
	unsigned int reason, type, id, other;
	char name[16];

	if (sscanf(value, "%u:%u:%15[^:]:%u:%u", &reason, &type, name, &id, &other) != 5)
		abort();
	fake_reject(reason, type, name, id, other);
}

/* Set the state of the core counters and its reason */
static void scenario_core(uint32_t state)
{
	fake.core.state = state;
	strcpy(fake.core.reason, state == UCORE_CORE_BUSY ?
	       "perf has the counters: sysctl kernel.nmi_watchdog=0" : "not here");
}

/* Set a number or flag of the fake device. Return false if @key is the name of none. */
static bool scenario_set(const char *key, const char *value)
{
	static const struct {
		const char *key;
		uint32_t *number;
	} numbers[] = {
		{ "gap", &fake.gap },
		{ "abi", &fake.abi },
		{ "state", &fake.state },
		{ "share", &fake.share },
		{ "cause", &fake.cause },
		{ "batch", &fake.batch },
		{ "ring", &fake.ring },
		{ "stretch", &fake.stretch },
		{ "back", &fake.back },
	};
	static const struct {
		const char *key;
		bool *flag;
	} flags[] = {
		{ "wave", &fake.wave },
		{ "old", &fake.old },
		{ "user", &fake.user },
		{ "foreign", &fake.foreign },
		{ "untested", &fake.untested },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!strcmp(key, numbers[i].key)) {
			*numbers[i].number = (uint32_t)atoi(value);
			return true;
		}
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (!strcmp(key, flags[i].key)) {
			*flags[i].flag = true;
			return true;
		}
	return false;
}

static void scenario_word(const char *key, char *value)
{
	if (scenario_set(key, value))
		return;
	if (!strcmp(key, "dies"))
		fake_machine(fake.machine->platform, (unsigned int)atoi(value));
	else if (!strcmp(key, "machine"))
		fake_machine(value, fake.nr_dies);
	else if (!strcmp(key, "only"))
		fake_only_die((unsigned int)atoi(value));
	else if (!strcmp(key, "cpus"))
		fake_cpus((unsigned int)atoi(value));
	else if (!strcmp(key, "atoms"))
		fake_atoms((unsigned int)atoi(value));
	else if (!strcmp(key, "core"))
		scenario_core((uint32_t)atoi(value));
	else if (!strcmp(key, "scale"))
		fake.scale = (uint64_t)atoll(value);
	else if (!strcmp(key, "read_ns"))
		fake.read_ns = (uint64_t)atoll(value);
	else if (!strcmp(key, "offline"))
		fake.domains[atoi(value)].reader = -1;
	else if (!strcmp(key, "reject"))
		scenario_reject(value);
	else if (!strcmp(key, "table"))
		fake_table((uint32_t)atoi(value), 1);
	else if (!strcmp(key, "guess"))
		fake.tables[atoi(value)].die_by = UCORE_DIE_BY_ORDER;
	else if (!strcmp(key, "notables"))
		fake_no_tables();
	else if (!strcmp(key, "overflow"))
		fake_overflow_pmi();
	else if (!strcmp(key, "dead"))
		fake.boxes[atoi(value)].flags |= UCORE_BOX_F_DEAD;
	else if (!strcmp(key, "absent"))
		fake_absent((uint32_t)atoi(value));
	else if (!strcmp(key, "dies-at"))
		sscanf(value, "%u:%u:%u", &fake.dies, &fake.dies_from, &fake.dies_to);
	else if (!strcmp(key, "hide"))
		fake_hide((unsigned int)atoi(value));
	else if (!strcmp(key, "hole"))
		fake.boxes[atoi(value)].instance += 200;
	else if (!strcmp(key, "empty"))
		fake.nr_boxes = 0;
	else if (!strcmp(key, "without"))
		fake_without(value);
	else if (!strcmp(key, "reason"))
		snprintf(fake.reason, sizeof(fake.reason), "%s", value);
	else if (!strcmp(key, "platform"))
		snprintf(fake.platform, sizeof(fake.platform), "%s", value);
	else if (!strcmp(key, "open"))
		sscanf(value, "%d:%u", &fake.open_errno, &fake.open_nr);
	else if (!strcmp(key, "flags"))
		fake.value_flags = (uint64_t)atoi(value);
	else if (!strcmp(key, "step"))
		sscanf(value, "%lu:%lu:%lu", &fake.step_at, &fake.step_by, &fake.step_for);
	else if (!strcmp(key, "own"))
		scenario_own(value);
	else if (!strcmp(key, "fail"))
		sscanf(value, "%u:%d:%u:%u", &fake.fail_command, &fake.fail_errno, &fake.fail_skip,
		       &fake.fail_nr);
	else if (!strcmp(key, "selftest"))
		sscanf(value, "%u:%u:%u", &fake.bad_box, &fake.bad_selftest, &fake.bad_found);
	else if (!strcmp(key, "session"))
		scenario_session(value);
	else if (!strcmp(key, "sample"))
		fake.budget.sample_ns = strtoull(value, NULL, 0);
	else
		abort();
}

void fake_scenario(const char *words)
{
	char *copy = strdup(words ? words : ""), *rest = copy, *word;

	fake_reset(2);
	while ((word = strsep(&rest, " "))) {
		char *value = strchr(word, '=');

		if (!value)
			continue;
		*value = 0;
		scenario_word(word, value + 1);
	}
	free(copy);
}
