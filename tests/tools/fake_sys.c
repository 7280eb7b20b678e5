// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The fake device for whoever asks libucore for the real one.  The linker puts this in the
 * place of ucore_sys_default() (--wrap), and UCORE_FAKE says which machine it is.
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
