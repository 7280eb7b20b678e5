/* SPDX-License-Identifier: GPL-2.0-only */
/* Included before everything else: messages carry the module's name. */
#ifndef pr_fmt
#define pr_fmt(fmt)	KBUILD_MODNAME ": " fmt
#endif
