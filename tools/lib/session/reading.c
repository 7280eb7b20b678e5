// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Readings: buffers and result of a READ command.  A session has one reading, and each thread
 * with regions has its own readings.
 */
#include <stdlib.h>

#include "session/session.h"

int ucore_reading_init(struct ucore_reading *reading, const struct ucore_session *session)
{
	size_t nr_domains = session->dev->nr_domains ? session->dev->nr_domains : 1;

	reading->max_values = session->nr_slots ? session->nr_slots : 1;
	reading->max_domains = nr_domains;
	reading->values = calloc(reading->max_values, sizeof(*reading->values));
	reading->domains = calloc(nr_domains, sizeof(*reading->domains));
	if (ucore_session_scales(session))
		reading->running = calloc(reading->max_values, sizeof(*reading->running));
	if (reading->values && reading->domains &&
	    (reading->running || !ucore_session_scales(session)))
		return 0;
	ucore_reading_free(reading);
	return -ENOMEM;
}

void ucore_reading_free(struct ucore_reading *reading)
{
	free(reading->values);
	free(reading->running);
	free(reading->domains);
	memset(reading, 0, sizeof(*reading));
}

int ucore_reading_read(struct ucore_reading *reading, const struct ucore_session *session,
		       uint32_t flags)
{
	UCORE_ARG(ucore_read, read, .flags = flags, .nr_values = (uint32_t)reading->max_values,
		  .nr_domains = (uint32_t)reading->max_domains,
		  .values = (uintptr_t)reading->values, .domains = (uintptr_t)reading->domains,
		  .running = (uintptr_t)reading->running);
	int ret = session_ioctl(session, UCORE_READ, &read);

	if (ret)
		return ret;
	if (read.nr_values > reading->max_values || read.nr_domains > reading->max_domains)
		return -EPROTO;
	reading->nr_values = read.nr_values;
	reading->nr_domains = read.nr_domains;
	reading->skew_ns = read.skew_ns;
	return 0;
}

/*
 * The search for the value of a slot starts after the value of the previous slot.  Usually that
 * value matches, because the driver sorts values by event id, and event ids rise from slot to
 * slot.
 */
int ucore_reading_sort(const struct ucore_reading *reading, const struct ucore_session *session,
		       struct ucore_value *values, uint64_t *running)
{
	size_t next = 0, nr = reading->nr_values;

	for (size_t i = 0; i < session->nr_slots; i++) {
		size_t tried = 0;

		while (tried < nr && reading->values[next].event != session->slots[i].event) {
			next = next + 1 < nr ? next + 1 : 0;
			tried++;
		}
		if (tried == nr)
			return -EPROTO;
		values[i] = reading->values[next];
		if (running)
			running[i] = reading->running[next];
		next = next + 1 < nr ? next + 1 : 0;
	}
	return 0;
}
