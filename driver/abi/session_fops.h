/* SPDX-License-Identifier: GPL-2.0-only */
/* File operations of session descriptors. */
#ifndef UCORE_FILE_H
#define UCORE_FILE_H

#include <linux/fs.h>

extern const struct file_operations ucore_session_fops;

#endif /* UCORE_FILE_H */
