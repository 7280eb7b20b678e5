// SPDX-License-Identifier: GPL-2.0-only
/*
 * Has each box of the uncore for a moment, so that the driver has tried all of them: tests
 * then begin with a driver that does nothing for the first time.
 */
#include <stdint.h>
#include <stdio.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "ucore.h"

#define BOXES	4096

static struct ucore_box_info boxes[BOXES];

/* One that is refused has been tried, too */
static void have(int fd, uint32_t box)
{
	struct ucore_create_session create = { .size = sizeof(create) };
	struct ucore_add_event add = { .size = sizeof(add), .box = box };

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
		if (boxes[i].cpu < 0 && boxes[i].nr_counters)
			have(fd, boxes[i].box);
	return 0;
}
