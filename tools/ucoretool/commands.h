/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The whole of ucoretool behind one call, so that tests can run it on system
 * calls of their own.
 */
#ifndef UCORETOOL_COMMANDS_H
#define UCORETOOL_COMMANDS_H

#include "libucore.h"

/** ucoretool_run() - run the command that @argv names on @sys; returns the exit code */
int ucoretool_run(int argc, char **argv, const struct ucore_sys *sys);

#endif /* UCORETOOL_COMMANDS_H */
