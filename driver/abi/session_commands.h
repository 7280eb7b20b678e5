/* SPDX-License-Identifier: GPL-2.0-only */
/* File operations of session descriptors. */
#ifndef UCORE_SESSION_COMMANDS_H
#define UCORE_SESSION_COMMANDS_H

#include <linux/fs.h>

extern const struct file_operations ucore_session_fops;

#endif /* UCORE_SESSION_COMMANDS_H */
