// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Links (connections of boxes): PCI root buses of IIO stacks with the functions of their ports,
 * and the far ends of UPI links.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static int links_fetch(struct ucore_device *dev, struct ucore_error *err)
{
	struct ucore_link_info *ends = calloc(dev->nr_boxes ? dev->nr_boxes : 1, sizeof(*ends));
	int ret;

	if (!ends)
		return ucore_error_set(err, -ENOMEM, "out of memory for %zu boxes", dev->nr_boxes);

	UCORE_ARG(ucore_get_links, get, .nr = (uint32_t)dev->nr_boxes, .links = (uintptr_t)ends);
	ret = ucore_device_ioctl(dev, dev->fd, UCORE_GET_LINKS, &get);
	if (!ret && get.nr != dev->nr_boxes)
		ret = -EPROTO;
	if (ret && ret != -ENOTTY) {
		free(ends);
		return ucore_error_set(err, ret, "GET_LINKS: %s", strerror(-ret));
	}
	/* with an older driver without GET_LINKS, every element stays UCORE_LINK_NONE */
	dev->ends = ends;
	return 0;
}

int ucore_device_links(struct ucore_device *dev, const struct ucore_link_info **ends,
		       struct ucore_error *err)
{
	int ret = 0;

	if (!dev->ends && dev->recorded)
		return ucore_error_set(err, -ENOENT, "links: a file of samples does not contain them");
	if (!dev->ends)
		ret = links_fetch(dev, err);
	*ends = dev->ends;
	return ret;
}

int ucore_device_ports(struct ucore_device *dev, uint32_t box, struct ucore_port_info *ports,
		       uint32_t nr, struct ucore_error *err)
{
	int ret;

	if (dev->recorded)
		return ucore_error_set(err, -ENOENT, "ports: a file of samples does not contain them");

	UCORE_ARG(ucore_get_ports, get, .box = box, .nr = nr, .ports = (uintptr_t)ports);
	ret = ucore_device_ioctl(dev, dev->fd, UCORE_GET_PORTS, &get);
	if (ret == -ENOTTY)
		return 0;
	if (!ret && (get.nr > nr || get.nr > get.total || get.total > INT32_MAX))
		ret = -EPROTO;
	if (ret)
		return ucore_error_set(err, ret, "GET_PORTS: %s", strerror(-ret));
	return (int)get.total;
}
