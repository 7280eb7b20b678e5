// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Default system calls on the fake device.  The linker replaces ucore_sys_default() by this
 * function (--wrap).  The environment variable UCORE_FAKE describes the machine.
 */
#include <stdlib.h>

#include "fake.h"

const struct ucore_sys *__wrap_ucore_sys_default(void);

const struct ucore_sys *__wrap_ucore_sys_default(void)
{
	static bool ready;
	const char *words = getenv("UCORE_FAKE");

	if (!ready) {
		fake_reset(2);
		fake_scenario(words ? words : "");
		ready = true;
	}
	return &fake_sys;
}
