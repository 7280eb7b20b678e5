// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * main() of ucoretool, with the kernel's system calls.  Tests call ucoretool_run() with fake ones.
 */
#include "commands.h"

int main(int argc, char **argv)
{
	return ucoretool_run(argc, argv, ucore_sys_default());
}
