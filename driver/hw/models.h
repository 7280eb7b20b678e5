/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processors by CPUID family and model: the platform each belongs to, and its
 * name.  Facts only, see e5.h; the one place for them.
 *
 * Who includes this says what a row becomes, and may do so several times:
 *
 *	#define UCORE_MODEL(family, model, platform, name) { family, model, platform, name },
 *	#include "models.h"
 *
 * Each row stands on a line of its own: scripts read them, too.  The first row
 * of a platform is the processor that is emulated under its name.
 */
#ifndef UCORE_MODEL
#define UCORE_MODEL(...)
#endif

UCORE_MODEL(6, 62, "ivbep", "Xeon E5-2600 v2")
UCORE_MODEL(6, 143, "spr", "Sapphire Rapids")
UCORE_MODEL(6, 207, "emr", "Emerald Rapids")
UCORE_MODEL(6, 173, "gnr", "Granite Rapids")
UCORE_MODEL(6, 174, "gnr", "Granite Rapids D")
UCORE_MODEL(6, 175, "srf", "Sierra Forest")
UCORE_MODEL(6, 182, "grr", "Grand Ridge")
UCORE_MODEL(6, 221, "cwf", "Clearwater Forest")

#undef UCORE_MODEL
