/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The platforms of the model, a row each: name, CPUID stepping, family. The
 * first is the default of a scenario.
 *
 * Families: e5, skx, icx and snr have a fixed list of boxes (e5.h); spr, gnr
 * and dmr have a discovery table with its type numbers (discovery.h).
 *
 * A file that includes this one defines UCORE_PLATFORM(). A row NAME stands for
 * ucore_NAME, in a file of this folder. __init__.py parses the rows, so each
 * must be on a line of its own. CPUID models are in driver/hw/models.h.
 */
UCORE_PLATFORM(ivbep, 4, e5)
UCORE_PLATFORM(snbep, 7, e5)
UCORE_PLATFORM(hswep, 2, e5)
UCORE_PLATFORM(bdxep, 1, e5)
UCORE_PLATFORM(bdxde, 3, e5)
UCORE_PLATFORM(skx, 4, skx)
UCORE_PLATFORM(clx, 7, skx)
UCORE_PLATFORM(cpx, 11, skx)
UCORE_PLATFORM(icx, 6, icx)
UCORE_PLATFORM(snr, 5, snr)
UCORE_PLATFORM(spr, 8, spr)
UCORE_PLATFORM(emr, 2, spr)
UCORE_PLATFORM(gnr, 1, gnr)
UCORE_PLATFORM(srf, 3, gnr)
UCORE_PLATFORM(grr, 0, gnr)
UCORE_PLATFORM(cwf, 0, gnr)
UCORE_PLATFORM(dmr, 0, dmr)
#undef UCORE_PLATFORM
