// SPDX-License-Identifier: GPL-2.0-only
/*
 * All of the guest's small programs in one, as busybox has it: the name by which
 * it is called says which one it is.  A C library for each of them would be most
 * of the initramfs, which every boot unpacks.
 *
 * programs.h is made by the build: for each source a declaration of its main(),
 * which is main_name() here, and PROGRAMS, a list of PROGRAM(name).  NAME_END is
 * what the names of the 32-bit twins end with.
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
