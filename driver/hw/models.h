/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later */
/*
 * List of the supported processors. Facts only. No other file of the product repeats these facts.
 *
 * Columns: CPUID family, CPUID model, name of the platform, name of the processor, kind of
 * table, first CPUID stepping. The kind is 1 if discovery tables describe the boxes, and 0 if a
 * static table of the driver does. The stepping is 0 if it is missing. The rows of one model are
 * in ascending order of the stepping. The last row whose stepping is not above that of the
 * processor applies. The library, which is LGPL, includes this file, too.
 *
 * A file that includes this one defines the expansion of a row first, possibly several times:
 *
 *     #define UCORE_MODEL(...) { __VA_ARGS__ },
 *     #include "hw/models.h"
 *
 * Each row is on a separate line, because scripts parse the rows, too. The machine model
 * (tests/lab/qemu) has the CPUID numbers of each platform again, in platforms/list.h.
 */
#ifndef UCORE_MODEL
#define UCORE_MODEL(...)
#endif

UCORE_MODEL(6, 45, "snbep", "Xeon E5-2600 v1", 0)
UCORE_MODEL(6, 62, "ivbep", "Xeon E5-2600 v2", 0)
UCORE_MODEL(6, 63, "hswep", "Xeon E5-2600 v3", 0)
UCORE_MODEL(6, 79, "bdxep", "Xeon E5-2600 v4", 0)
UCORE_MODEL(6, 86, "bdxde", "Xeon D-1500", 0)
UCORE_MODEL(6, 85, "skx", "Skylake-SP", 0)
UCORE_MODEL(6, 85, "clx", "Cascade Lake-SP", 0, 5)
UCORE_MODEL(6, 85, "cpx", "Cooper Lake", 0, 10)
UCORE_MODEL(6, 106, "icx", "Ice Lake-SP", 0)
UCORE_MODEL(6, 108, "icx", "Ice Lake-D", 0)
UCORE_MODEL(6, 134, "snr", "Snow Ridge", 0)
UCORE_MODEL(6, 143, "spr", "Sapphire Rapids", 1)
UCORE_MODEL(6, 207, "emr", "Emerald Rapids", 1)
UCORE_MODEL(6, 173, "gnr", "Granite Rapids", 1)
UCORE_MODEL(6, 174, "gnr", "Granite Rapids D", 1)
UCORE_MODEL(6, 175, "srf", "Sierra Forest", 1)
UCORE_MODEL(6, 182, "grr", "Grand Ridge", 1)
UCORE_MODEL(6, 221, "cwf", "Clearwater Forest", 1)
UCORE_MODEL(19, 1, "dmr", "Diamond Rapids", 1)
UCORE_MODEL(6, 26, "nhm", "Nehalem-EP", 0)
UCORE_MODEL(6, 30, "nhm", "Nehalem", 0)
UCORE_MODEL(6, 31, "nhm", "Nehalem with graphics", 0)
UCORE_MODEL(6, 37, "wsm", "Westmere with graphics", 0)
UCORE_MODEL(6, 44, "wsm", "Westmere-EP", 0)
UCORE_MODEL(6, 42, "snb", "Sandy Bridge", 0)
UCORE_MODEL(6, 58, "ivb", "Ivy Bridge", 0)
UCORE_MODEL(6, 60, "hsw", "Haswell", 0)
UCORE_MODEL(6, 69, "hsw", "Haswell U", 0)
UCORE_MODEL(6, 70, "hsw", "Haswell with eDRAM", 0)
UCORE_MODEL(6, 61, "bdw", "Broadwell", 0)
UCORE_MODEL(6, 71, "bdw", "Broadwell with eDRAM", 0)
UCORE_MODEL(6, 94, "skl", "Skylake", 0)
UCORE_MODEL(6, 78, "skl", "Skylake U and Y", 0)
UCORE_MODEL(6, 142, "skl", "Kaby Lake to Comet Lake U and Y", 0)
UCORE_MODEL(6, 158, "skl", "Kaby Lake and Coffee Lake", 0)
UCORE_MODEL(6, 165, "skl", "Comet Lake", 0)
UCORE_MODEL(6, 166, "skl", "Comet Lake U", 0)
UCORE_MODEL(6, 126, "icl", "Ice Lake U and Y", 0)
UCORE_MODEL(6, 125, "icl", "Ice Lake desktop", 0)
UCORE_MODEL(6, 157, "icl", "Ice Lake NNP-I", 0)
UCORE_MODEL(6, 167, "rkl", "Rocket Lake", 0)
UCORE_MODEL(6, 140, "tgl", "Tiger Lake U and Y", 0)
UCORE_MODEL(6, 141, "tglh", "Tiger Lake H", 0)
UCORE_MODEL(6, 151, "adl", "Alder Lake S", 0)
UCORE_MODEL(6, 154, "adl", "Alder Lake H, P and U", 0)
UCORE_MODEL(6, 190, "adl", "Alder Lake N", 0)
UCORE_MODEL(6, 183, "adl", "Raptor Lake S", 0)
UCORE_MODEL(6, 186, "adl", "Raptor Lake H, P and U", 0)
UCORE_MODEL(6, 191, "adl", "Raptor Lake S of Alder Lake dies", 0)
UCORE_MODEL(6, 170, "mtl", "Meteor Lake H, P and U", 0)
UCORE_MODEL(6, 172, "mtl", "Meteor Lake S", 0)
UCORE_MODEL(6, 181, "mtl", "Arrow Lake U", 0)
UCORE_MODEL(6, 198, "arl", "Arrow Lake S", 0)
UCORE_MODEL(6, 197, "arl", "Arrow Lake H", 0)
UCORE_MODEL(6, 189, "lnl", "Lunar Lake", 0)
UCORE_MODEL(6, 204, "ptl", "Panther Lake", 1)
UCORE_MODEL(6, 213, "ptl", "Wildcat Lake", 1)
UCORE_MODEL(6, 229, "ptl", "Panther Lake (model 229)", 1)

#undef UCORE_MODEL
