// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ucoretool on the real system calls; tests bring their own.
 */
#include "commands.h"

int main(int argc, char **argv)
{
	return ucoretool_run(argc, argv, ucore_sys_default());
}
