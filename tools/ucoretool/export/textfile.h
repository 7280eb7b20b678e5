/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A file that others read while it is written anew: they find the old one or the new one.
 */
#ifndef UCORETOOL_TEXTFILE_H
#define UCORETOOL_TEXTFILE_H

#include "tool.h"

/**
 * textfile_write() - put @text in the place of the file
 * @path: the file, or "-" for standard output, where texts follow each other
 * @text: what it shall have in it
 * @size: bytes of @text
 *
 * Return: 0 or -errno.
 */
int textfile_write(const char *path, const char *text, size_t size);

#endif /* UCORETOOL_TEXTFILE_H */
