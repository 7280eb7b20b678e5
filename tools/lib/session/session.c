// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sessions: create, destroy, start, stop and read, with texts for the driver's errors.
 */
#include <stdlib.h>

#include "session/session.h"

/* ---- create and destroy a session -------------------------------------- */

/* Return the text of an error; for ESHUTDOWN, strerror() would describe a socket */
static const char *error_text(int code)
{
	return code == -ESHUTDOWN ? "the session was revoked ('ucoretool revoke')" :
				    strerror(-code);
}

static int config_check(const struct ucore_session_config *config, struct ucore_error *err)
{
	uint32_t ring = config->ring_size;

	if (config->reserved)
		return ucore_error_set(err, -EINVAL,
				       "session: a reserved member of the parameters is not 0. Set it to 0");
	if (config->timer_ns && (config->timer_ns < UCORE_TIMER_MIN_NS ||
				 config->timer_ns > UCORE_TIMER_MAX_NS))
		return ucore_error_set(err, -ERANGE,
				       "timer: %llu ns is out of range. Use %lluus to %llus",
				       (unsigned long long)config->timer_ns,
				       UCORE_TIMER_MIN_NS / 1000, UCORE_TIMER_MAX_NS / 1000000000);
	if (config->rotate_ns && (config->rotate_ns < UCORE_ROTATE_MIN_NS ||
				  config->rotate_ns > UCORE_ROTATE_MAX_NS))
		return ucore_error_set(err, -ERANGE,
				       "time slice: %llu ns is out of range. Use %llums to %llus",
				       (unsigned long long)config->rotate_ns,
				       UCORE_ROTATE_MIN_NS / 1000000,
				       UCORE_ROTATE_MAX_NS / 1000000000);
	if (config->rotate_ns && (config->timer_ns || ring))
		return ucore_error_set(err, -EINVAL,
				       "session: samples are not possible with event groups. Use either rotation or samples");
	if (config->flags & UCORE_SESSION_F_MULTIPLEX && (config->timer_ns || ring))
		return ucore_error_set(err, -EINVAL,
				       "session: samples are not possible with multiplexing. Use either UCORE_SESSION_F_MULTIPLEX or samples");
	if (config->nr_readers > UCORE_READERS_MAX)
		return ucore_error_set(err, -ERANGE,
				       "readers: %u is out of range. Use at most %u CPUs of each die",
				       config->nr_readers, UCORE_READERS_MAX);
	if (config->rotate_ns && config->nr_readers > 1)
		return ucore_error_set(err, -EINVAL,
				       "readers: event groups are read by one CPU of each die. Use one reader, or no rotation");
	if (ring && (ring < UCORE_RING_MIN || ring > UCORE_RING_MAX || ring & (ring - 1)))
		return ucore_error_set(err, -ERANGE,
				       "ring: %u bytes is not possible. Use a power of two from %uK to %uM",
				       ring, UCORE_RING_MIN >> 10, UCORE_RING_MAX >> 20);
	if (config->wakeup && config->wakeup >= ring)
		return ucore_error_set(err, -ERANGE,
				       "watermark: %u bytes is too large for a ring of %u bytes. Use a smaller watermark",
				       config->wakeup, ring);
	return 0;
}

/* Explain an error of CREATE_SESSION; a new GET_INFO has the reason for ENODEV and EBUSY */
static int create_error(struct ucore_device *dev, int code, struct ucore_error *err)
{
	if (code == -EACCES)
		return ucore_error_set(err, code,
				       "session: --tasks needs CAP_PERFMON. Run as root, or leave out --tasks");
	if (code == -EDQUOT)
		return ucore_error_set(err, code,
				       "session: your user has %u sessions, which is the limit. Close some ('ucoretool doctor' lists them)",
				       UCORE_SESSIONS_MAX);
	if ((code == -ENODEV || code == -EBUSY) && !ucore_device_refresh(dev, NULL) &&
	    ucore_device_ready(dev, err))
		return code;
	return ucore_error_set(err, code, "session: cannot be created: %s", strerror(-code));
}

int ucore_session_create(struct ucore_device *dev, const struct ucore_session_config *config,
			 struct ucore_session **out, struct ucore_error *err)
{
	static const struct ucore_session_config none;
	struct ucore_session *session;
	int ret;

	if (!config)
		config = &none;
	ret = config_check(config, err);
	if (ret)
		return ret;
	session = calloc(1, sizeof(*session));
	if (!session)
		return ucore_error_set(err, -ENOMEM, "out of memory");

	UCORE_ARG(ucore_create_session, create, .flags = config->flags,
		  .timer_ns = config->timer_ns, .ring_size = config->ring_size,
		  .wakeup = config->wakeup, .rotate_ns = config->rotate_ns,
		  .nr_readers = config->nr_readers);
	ret = ucore_device_ioctl(dev, dev->fd, UCORE_CREATE_SESSION, &create);
	if (ret) {
		free(session);
		return create_error(dev, ret, err);
	}
	session->dev = dev;
	session->fd = create.fd;
	session->config = *config;
	*out = session;
	return 0;
}

void ucore_session_destroy(struct ucore_session *session)
{
	if (!session)
		return;
	session->dev->sys->close(session->fd);
	ucore_reading_free(&session->reading);
	free(session->values);
	free(session->running);
	free(session->slots);
	free(session->events);
	free(session->omissions);
	free(session);
}

/* ---- start, stop and read a session ------------------------------------ */

static int error_timer(struct ucore_session *session, struct ucore_error *err)
{
	UCORE_ARG(ucore_get_budget, budget);

	if (session_ioctl(session, UCORE_GET_BUDGET, &budget))
		return ucore_error_set(err, -ERANGE, "session: cannot start: %s", strerror(ERANGE));
	if (session->config.rotate_ns)
		return ucore_error_set(err, -ERANGE,
				       "session: cannot start, because switching groups takes more than %u %% of a time slice of %.0f us. Use longer time slices, or fewer events",
				       budget.percent, (double)session->config.rotate_ns / 1000);
	return ucore_error_set(err, -ERANGE,
			       "session: cannot start, because a sample of these events takes %.0f us of CPU time, which is too much for a timer of %.0f us (limit: %u %%, and 10 us between samples). Use at least %.0f us, or fewer events",
			       (double)budget.sample_ns / 1000,
			       (double)session->config.timer_ns / 1000, budget.percent,
			       (double)((budget.timer_min_ns + 999) / 1000));
}

int ucore_session_memory_error(const struct ucore_session *session, int code,
			       struct ucore_error *err)
{
	return ucore_error_set(err, code,
			       "session: no more memory for rings (%u KiB on each die or CPU with events). Use a smaller ring, or raise the limit of locked memory (ulimit -l, or mlock_kb of module ucore)",
			       session->config.ring_size >> 10);
}

static int start_error(struct ucore_session *session, int code, struct ucore_error *err)
{
	switch (code) {
	case -ENOENT:
		return ucore_error_set(err, code,
				       "session: cannot start, because it has no events. Add an event");
	case -ENOSPC:
		return ucore_error_set(err, code,
				       "session: cannot start, because a ring of %u bytes cannot hold two samples of %zu events. Use a larger ring",
				       session->config.ring_size, session->nr_slots);
	case -ENOBUFS:
		return ucore_session_memory_error(session, code, err);
	case -EALREADY:
		return ucore_error_set(err, code,
				       "session: cannot start, because it is running. Stop it first");
	case -ERANGE:
		return error_timer(session, err);
	case -EAGAIN:
		return ucore_error_set(err, code,
				       "session: cannot start, because a die has no online CPU or a CPU just went offline. Try again");
	case -ENODEV:
		return ucore_error_set(err, code,
				       "session: cannot start, because a box stopped responding. See 'ucoretool list'");
	case -EOPNOTSUPP:
		return ucore_error_set(err, code,
				       "session: cannot start, because this kernel has no tracepoints of its scheduler. Leave out --tasks");
	case -EBUSY:
		return ucore_error_set(err, code,
				       "session: cannot start, because the kernel's intel_uncore driver uses the hardware. Unload it: modprobe -r intel_uncore");
	default:
		return ucore_error_set(err, code, "session: cannot start: %s", error_text(code));
	}
}

int ucore_session_start(struct ucore_session *session, struct ucore_error *err)
{
	UCORE_ARG(ucore_command, command);
	int ret = session_ioctl(session, UCORE_START, &command);

	return ret ? start_error(session, ret, err) : 0;
}

int ucore_session_stop(struct ucore_session *session, struct ucore_error *err)
{
	UCORE_ARG(ucore_command, command);
	int ret = session_ioctl(session, UCORE_STOP, &command);

	return ret ? ucore_error_set(err, ret, "session: cannot stop: %s", error_text(ret)) : 0;
}

int ucore_session_reset(struct ucore_session *session, struct ucore_error *err)
{
	UCORE_ARG(ucore_command, command);
	int ret = session_ioctl(session, UCORE_RESET, &command);

	return ret ? ucore_error_set(err, ret, "session: cannot reset: %s", error_text(ret)) : 0;
}

static int read_buffers(struct ucore_session *session)
{
	size_t nr = session->nr_slots ? session->nr_slots : 1;

	if (session->reading.values)
		return 0;
	free(session->values);
	session->values = calloc(nr, sizeof(*session->values));
	if (ucore_session_scales(session)) {
		free(session->running);
		session->running = calloc(nr, sizeof(*session->running));
		if (!session->running)
			return -ENOMEM;
	}
	return session->values ? ucore_reading_init(&session->reading, session) : -ENOMEM;
}

int ucore_session_read(struct ucore_session *session, uint32_t flags, struct ucore_snapshot *snap,
		       struct ucore_error *err)
{
	int ret = read_buffers(session);

	if (ret)
		return ucore_error_set(err, ret, "out of memory");
	ret = ucore_reading_read(&session->reading, session, flags);
	if (!ret)
		ret = ucore_reading_sort(&session->reading, session, session->values,
					 session->running);
	if (ret)
		return ucore_error_set(err, ret, "session: cannot read the counters: %s",
				       error_text(ret));
	*snap = (struct ucore_snapshot) {
		.nr_values = session->nr_slots,
		.values = session->values,
		.nr_domains = session->reading.nr_domains,
		.domains = session->reading.domains,
		.skew_ns = session->reading.skew_ns,
		.running = session->running,
	};
	return 0;
}

int ucore_session_status(struct ucore_session *session, struct ucore_get_status *status,
			 struct ucore_error *err)
{
	UCORE_ARG(ucore_get_status, answer);
	int ret = session_ioctl(session, UCORE_GET_STATUS, &answer);

	if (ret)
		return ucore_error_set(err, ret, "session: GET_STATUS: %s", error_text(ret));
	*status = answer;
	return 0;
}

int ucore_session_budget(struct ucore_session *session, struct ucore_get_budget *budget,
			 struct ucore_error *err)
{
	UCORE_ARG(ucore_get_budget, answer);
	int ret = session_ioctl(session, UCORE_GET_BUDGET, &answer);

	if (ret)
		return ucore_error_set(err, ret, "session: GET_BUDGET: %s", strerror(-ret));
	*budget = answer;
	return 0;
}

int ucore_session_fd(const struct ucore_session *session)
{
	return session->fd;
}

const struct ucore_slot *ucore_session_slots(const struct ucore_session *session, size_t *nr)
{
	*nr = session->nr_slots;
	return session->slots;
}

const struct ucore_event *ucore_session_event(const struct ucore_session *session,
					      uint32_t index)
{
	return index < session->nr_events ? &session->events[index] : NULL;
}
