/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prefix of log messages: the module's name. Kbuild includes this file before all other headers
 * (-include), because pr_fmt must be defined before linux/printk.h.
 */
#ifndef pr_fmt
#define pr_fmt(fmt)	KBUILD_MODNAME ": " fmt
#endif
