/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * [model] pmi = private: where the model keeps what no public source tells of
 * the discovery generation.  The driver spells the same places in
 * private_pmi.c, which only the lab compiles.
 */
#ifndef UCORE_MODEL_PRIVATE_PMI_H
#define UCORE_MODEL_PRIVATE_PMI_H

#define PRIVATE_GLOBAL_CTL_WK_ON_PMI     BIT_ULL(1)
#define PRIVATE_GLOBAL_CTL_PMI_CORE_SEL  GENMASK_ULL(63, 16)

#endif
