// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Selftests: what the driver found when it tried a box, and having it try one.
 */
#include <errno.h>
#include <string.h>

#include "internal.h"

int ucore_device_selftest(const struct ucore_device *dev, uint32_t box,
		       struct ucore_get_selftest *selftest, struct ucore_error *err)
{
	int ret;

	*selftest = (struct ucore_get_selftest){ .size = sizeof(*selftest), .box = box };
	if (dev->recorded)
		return ucore_error_set(err, -ENOENT, "no selftests were recorded");
	ret = ucore_device_ioctl(dev, dev->fd, UCORE_GET_SELFTEST, selftest);
	selftest->reason[UCORE_REASON_LEN - 1] = 0;
	return ret ? ucore_error_set(err, ret, "GET_SELFTEST of box %u: %s", box, strerror(-ret)) : 0;
}

/* An event without fields asks for nothing, but the session has the box */
int ucore_device_try(const struct ucore_device *dev, uint32_t box, struct ucore_error *err)
{
	UCORE_ARG(ucore_create_session, create);
	UCORE_ARG(ucore_add_event, add, .box = box);
	int ret;

	if (dev->recorded)
		return ucore_error_set(err, -ENOENT, "the machine of a file cannot be tried");
	ret = ucore_device_ioctl(dev, dev->fd, UCORE_CREATE_SESSION, &create);
	if (ret)
		return ucore_error_set(err, ret, "CREATE_SESSION: %s", strerror(-ret));
	ret = ucore_device_ioctl(dev, create.fd, UCORE_ADD_EVENT, &add);
	dev->sys->close(create.fd);
	return ret ? ucore_error_set(err, ret, "ADD_EVENT on box %u: %s", box, strerror(-ret)) : 0;
}
