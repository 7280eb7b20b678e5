/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The platforms of the model, a row each: name; family, model and stepping in
 * CPUID; family in the model. The first is the default of a scenario.
 *
 * Families: e5, skx, icx and snr have a fixed list of boxes (e5.h); spr, gnr
 * and dmr have a discovery table with its type numbers (discovery.h); client has
 * no uncore bus; its memory controllers are behind MCHBAR, or in the block of
 * the uncore. ptl of that family has a table for some of its boxes.
 *
 * A file that includes this one defines UCORE_PLATFORM(). A row NAME stands for
 * ucore_NAME, in a file of this folder. __init__.py parses the rows, so each
 * must be on a line of its own. The numbers are independent of the driver.
 */
UCORE_PLATFORM(ivbep, 6, 0x3e, 4, e5)
UCORE_PLATFORM(snbep, 6, 0x2d, 7, e5)
UCORE_PLATFORM(hswep, 6, 0x3f, 2, e5)
UCORE_PLATFORM(bdxep, 6, 0x4f, 1, e5)
UCORE_PLATFORM(bdxde, 6, 0x56, 3, e5)
UCORE_PLATFORM(skx, 6, 0x55, 4, skx)
UCORE_PLATFORM(clx, 6, 0x55, 7, skx)
UCORE_PLATFORM(cpx, 6, 0x55, 11, skx)
UCORE_PLATFORM(icx, 6, 0x6a, 6, icx)
UCORE_PLATFORM(snr, 6, 0x86, 5, snr)
UCORE_PLATFORM(spr, 6, 0x8f, 8, spr)
UCORE_PLATFORM(emr, 6, 0xcf, 2, spr)
UCORE_PLATFORM(gnr, 6, 0xad, 1, gnr)
UCORE_PLATFORM(srf, 6, 0xaf, 3, gnr)
UCORE_PLATFORM(grr, 6, 0xb6, 0, gnr)
UCORE_PLATFORM(cwf, 6, 0xdd, 0, gnr)
UCORE_PLATFORM(dmr, 19, 0x01, 0, dmr)
UCORE_PLATFORM(nhm, 6, 0x1a, 5, client)
UCORE_PLATFORM(wsm, 6, 0x2c, 2, client)
UCORE_PLATFORM(snb, 6, 0x2a, 7, client)
UCORE_PLATFORM(hsw, 6, 0x3c, 3, client)
UCORE_PLATFORM(skl, 6, 0x5e, 3, client)
UCORE_PLATFORM(icl, 6, 0x7e, 5, client)
UCORE_PLATFORM(tgl, 6, 0x8c, 1, client)
UCORE_PLATFORM(adl, 6, 0x97, 2, client)
UCORE_PLATFORM(mtl, 6, 0xaa, 4, client)
UCORE_PLATFORM(lnl, 6, 0xbd, 1, client)
UCORE_PLATFORM(ptl, 6, 0xcc, 0, client)
#undef UCORE_PLATFORM
