/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Replacement of a file that other programs read: they find either the old or the new content,
 * never a part.
 */
#ifndef UCORETOOL_EXPORT_TEXTFILE_H
#define UCORETOOL_EXPORT_TEXTFILE_H

#include "tool.h"

/**
 * textfile_write() - replace the content of a file by @text
 * @path: the file
 * @text: new content
 * @size: length of @text (bytes)
 *
 * Return: 0 or -errno.
 */
int textfile_write(const char *path, const char *text, size_t size);

#endif /* UCORETOOL_EXPORT_TEXTFILE_H */
