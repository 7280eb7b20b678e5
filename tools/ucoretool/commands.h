/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The entry point of ucoretool.  Tests call it with fake system calls.
 */
#ifndef UCORETOOL_COMMANDS_H
#define UCORETOOL_COMMANDS_H

#include "libucore.h"

/** ucoretool_run() - run the command in @argv with the system calls @sys; return the exit code */
int ucoretool_run(int argc, char **argv, const struct ucore_sys *sys);

#endif /* UCORETOOL_COMMANDS_H */
