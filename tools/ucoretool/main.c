// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Entry point of ucoretool with the real system calls.  Tests link fake ones instead.
 */
#include "commands.h"

int main(int argc, char **argv)
{
	return ucoretool_run(argc, argv, ucore_sys_default());
}
