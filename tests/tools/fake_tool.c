// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ucoretool on the fake device; UCORE_FAKE describes the machine.
 */
#include <stdlib.h>

#include "commands.h"
#include "fake.h"

int main(int argc, char **argv)
{
	int ret;

	fake_scenario(getenv("UCORE_FAKE"));
	ret = ucoretool_run(argc, argv, &fake_sys);
	/* ucoretool must have closed and unmapped everything */
	if (fake.nr_opens || fake.nr_maps)
		abort();
	fake_reset(1);
	return ret;
}
