/* SPDX-License-Identifier: GPL-2.0-only */
/* Included before all other headers, so that messages start with the module's name. */
#ifndef pr_fmt
#define pr_fmt(fmt)	KBUILD_MODNAME ": " fmt
#endif
