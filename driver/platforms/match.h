/* SPDX-License-Identifier: GPL-2.0-only */
/* List of all platforms, and the selection of the platform of this machine. */
#ifndef UCORE_MATCH_H
#define UCORE_MATCH_H

#include "find/found_boxes.h"

const struct ucore_platform *ucore_platform_match(void);

/* List of all platforms that hw/models.h names */
#define UCORE_PLATFORMS(PLATFORM) \
	PLATFORM(snbep), PLATFORM(ivbep), PLATFORM(hswep), PLATFORM(bdxep), \
	PLATFORM(bdxde), PLATFORM(skx), PLATFORM(clx), PLATFORM(cpx), \
	PLATFORM(icx), PLATFORM(snr), PLATFORM(spr), PLATFORM(emr), \
	PLATFORM(gnr), PLATFORM(srf), PLATFORM(grr), PLATFORM(cwf), \
	PLATFORM(dmr), PLATFORM(snb), PLATFORM(ivb), PLATFORM(hsw), \
	PLATFORM(bdw), PLATFORM(skl), PLATFORM(icl), PLATFORM(rkl), \
	PLATFORM(tgl), PLATFORM(tglh), PLATFORM(adl), PLATFORM(mtl), \
	PLATFORM(arl), PLATFORM(lnl), PLATFORM(ptl), PLATFORM(nhm), \
	PLATFORM(wsm)

#define UCORE_PLATFORM_NAME(name) ucore_platform_##name
extern const struct ucore_platform
	UCORE_PLATFORMS(UCORE_PLATFORM_NAME);
extern const struct ucore_platform ucore_platform_generic;
extern const struct ucore_platform ucore_platform_core;

#endif /* UCORE_MATCH_H */
