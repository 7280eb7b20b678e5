/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * [model] pmi = private: registers of the overflow route on the discovery
 * generation, which no public source documents.  The driver has the same
 * numbers in find/discovery/qemu_pmi_route.c, which only lab builds compile.
 */
#ifndef UCORE_MODEL_PRIVATE_PMI_H
#define UCORE_MODEL_PRIVATE_PMI_H

#define PRIVATE_GLOBAL_CTL_WK_ON_PMI     BIT_ULL(1)
#define PRIVATE_GLOBAL_CTL_PMI_CORE_SEL  GENMASK_ULL(63, 16)

#endif
