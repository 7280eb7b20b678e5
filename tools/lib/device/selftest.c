// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Self-tests of boxes: read the driver's result, and make the driver run one.
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
		return ucore_error_set(err, -ENOENT,
				       "box %u: a file of samples has no self-test results", box);
	ret = ucore_device_ioctl(dev, dev->fd, UCORE_GET_SELFTEST, selftest);
	selftest->reason[UCORE_REASON_LEN - 1] = 0;
	return ret ? ucore_error_set(err, ret, "box %u: GET_SELFTEST: %s", box, strerror(-ret)) : 0;
}

/* Return the counters for an event without fields: any general one, or the fixed one (0: any) */
static uint64_t counters_to_try(const struct ucore_device *dev, uint32_t box)
{
	const struct ucore_box_info *boxes;
	size_t nr;

	boxes = ucore_device_boxes(dev, &nr);
	return box < nr && !boxes[box].nr_counters ? 1ULL << UCORE_COUNTER_FIXED : 0;
}

/* Add an event to a new session with @flags: the driver then claims and tests the event's box */
static int try_event(const struct ucore_device *dev, uint32_t flags, struct ucore_add_event *add,
		     struct ucore_error *err)
{
	UCORE_ARG(ucore_create_session, create, .flags = flags);
	int ret = ucore_device_ioctl(dev, dev->fd, UCORE_CREATE_SESSION, &create);

	if (ret)
		return ucore_error_set(err, ret, "CREATE_SESSION: %s", strerror(-ret));
	ret = ucore_device_ioctl(dev, create.fd, UCORE_ADD_EVENT, add);
	dev->sys->close(create.fd);
	return ret ? ucore_error_set(err, ret, "box %u: ADD_EVENT: %s", add->box, strerror(-ret)) :
		     0;
}

/* Period of an event that tries interrupts (counts): no counter reaches its end in a trial */
#define LONG_PERIOD	(1ULL << 31)

/* An event without fields is enough */
int ucore_device_try(const struct ucore_device *dev, uint32_t box, struct ucore_error *err)
{
	UCORE_ARG(ucore_add_event, add, .box = box, .counters = counters_to_try(dev, box));
	UCORE_ARG(ucore_add_event, interrupt, .box = box, .counters = add.counters,
		  .flags = UCORE_EVENT_F_NO_POLL, .period = LONG_PERIOD);
	int ret;

	if (dev->recorded)
		return ucore_error_set(err, -ENOENT,
				       "box %u: boxes of a file of samples cannot be tested", box);
	ret = try_event(dev, UCORE_SESSION_F_NO_PMI, &add, err);
	/* the driver refuses the event if no trial could show that the box interrupts */
	if (!ret && !(dev->info.caps & UCORE_CAP_OVERFLOW_PMI))
		(void)try_event(dev, 0, &interrupt, NULL);
	return ret;
}
