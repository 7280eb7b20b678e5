// SPDX-License-Identifier: GPL-2.0-only
/*
 * Add and remove an event on each uncore box, so that the driver has run the self-test of every
 * box. Tests then start with a driver that has no one-time work left.
 */
#include <stdint.h>
#include <stdio.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "ucore.h"

#define BOXES	4096

static struct ucore_box_info boxes[BOXES];

/* The self-test has also run if the event is refused */
static void have(int fd, const struct ucore_box_info *box)
{
	struct ucore_create_session create = { .size = sizeof(create) };
	struct ucore_add_event add = {
		.size = sizeof(add), .box = box->box,
		.counters = box->nr_counters ? 0 : 1ULL << UCORE_COUNTER_FIXED,
	};

	if (ioctl(fd, UCORE_CREATE_SESSION, &create))
		return;
	ioctl((int)create.fd, UCORE_ADD_EVENT, &add);
	close((int)create.fd);
}

int main(void)
{
	struct ucore_get_boxes get = {
		.size = sizeof(get), .nr = BOXES, .boxes = (uintptr_t)boxes,
	};
	int fd = open(UCORE_DEVICE, O_RDWR | O_CLOEXEC);
	uint32_t i;

	if (fd < 0 || ioctl(fd, UCORE_GET_BOXES, &get)) {
		perror(UCORE_DEVICE);
		return 1;
	}
	for (i = 0; i < get.nr; i++)
		if (boxes[i].cpu < 0 && !(boxes[i].flags & UCORE_BOX_F_FREE_RUNNING))
			have(fd, &boxes[i]);
	return 0;
}
