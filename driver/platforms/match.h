/* SPDX-License-Identifier: GPL-2.0-only */
/* All platforms, and the selection of this machine's platform. */
#ifndef UCORE_MATCH_H
#define UCORE_MATCH_H

#include "find/finder.h"

const struct ucore_platform *ucore_platform_match(void);

extern const struct ucore_platform ucore_platform_snbep;
extern const struct ucore_platform ucore_platform_ivbep;
extern const struct ucore_platform ucore_platform_hswep;
extern const struct ucore_platform ucore_platform_bdxep;
extern const struct ucore_platform ucore_platform_bdxde;
extern const struct ucore_platform ucore_platform_skx;
extern const struct ucore_platform ucore_platform_clx;
extern const struct ucore_platform ucore_platform_cpx;
extern const struct ucore_platform ucore_platform_icx;
extern const struct ucore_platform ucore_platform_snr;
extern const struct ucore_platform ucore_platform_spr;
extern const struct ucore_platform ucore_platform_emr;
extern const struct ucore_platform ucore_platform_gnr;
extern const struct ucore_platform ucore_platform_srf;
extern const struct ucore_platform ucore_platform_grr;
extern const struct ucore_platform ucore_platform_cwf;
extern const struct ucore_platform ucore_platform_dmr;
extern const struct ucore_platform ucore_platform_generic;
extern const struct ucore_platform ucore_platform_core;

#endif /* UCORE_MATCH_H */
