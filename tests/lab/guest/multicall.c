// SPDX-License-Identifier: GPL-2.0-only
/*
 * All small programs of the guest in one binary, as in busybox, selected by the name of the
 * call. A separate C library for each program would be most of the initramfs, which every boot
 * unpacks.
 *
 * The build generates programs.h: for each source a declaration of its main(), which is
 * main_name() here, and PROGRAMS, a list of PROGRAM(name). NAME_END is the suffix of the names
 * of the 32-bit programs.
 */
#include <stdio.h>
#include <string.h>

#include "programs.h"

#define PROGRAM(name) { #name NAME_END, main_##name }
static const struct {
	const char *name;
	int (*main)(int argc, char **argv);
} programs[] = { PROGRAMS };

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	const char *name = slash ? slash + 1 : argv[0];

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (!strcmp(programs[i].name, name))
			return programs[i].main(argc, argv);
	fprintf(stderr, "%s: no such program\n", name);
	return 127;
}
