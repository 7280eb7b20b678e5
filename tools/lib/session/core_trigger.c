// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Core triggers: samples of a die at overflows of core events that the kernel's perf counts.
 * The events have perf's names ("instructions").
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
} core_events[] = {
	{ "cycles", UCORE_PERF_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "cpu-cycles", UCORE_PERF_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", UCORE_PERF_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", UCORE_PERF_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", UCORE_PERF_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", UCORE_PERF_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-instructions", UCORE_PERF_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", UCORE_PERF_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", UCORE_PERF_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	{ "ref-cycles", UCORE_PERF_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "cpu-clock", UCORE_PERF_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "task-clock", UCORE_PERF_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults", UCORE_PERF_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "faults", UCORE_PERF_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "minor-faults", UCORE_PERF_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", UCORE_PERF_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "context-switches", UCORE_PERF_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cs", UCORE_PERF_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", UCORE_PERF_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "migrations", UCORE_PERF_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
};

/* Parse perf's form of a raw event, "rUUEE": umask and event select, hexadecimal */
static bool raw_find(const char *text, size_t length, struct ucore_core_event *event)
{
	char *end;

	if (length < 2 || length > 17 || *text != 'r' ||
	    strspn(text + 1, "0123456789abcdefABCDEF") < length - 1)
		return false;
	event->type = UCORE_PERF_RAW;
	event->config = strtoull(text + 1, &end, 16);
	return end == text + length;
}

int ucore_core_event_find(const char *text, struct ucore_core_event *event,
			  struct ucore_error *err)
{
	size_t length = strcspn(text, ":");

	memset(event, 0, sizeof(*event));
	if (text[length] && strcmp(text + length, ":u"))
		return ucore_error_set(err, -EINVAL,
				       "core event '%s': unknown suffix. The only suffix is :u (user mode only)",
				       text);
	event->flags = text[length] ? UCORE_CORE_TRIGGER_F_USER : 0;
	if (raw_find(text, length, event))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(core_events); i++) {
		if (strlen(core_events[i].name) != length ||
		    strncmp(core_events[i].name, text, length))
			continue;
		event->type = core_events[i].type;
		event->config = core_events[i].config;
		return 0;
	}
	return ucore_error_set(err, -ENOENT,
			       "core event '%s': unknown. Use instructions, cycles, cache-misses, branches, task-clock, page-faults ..., or rUUEE (umask and event)",
			       text);
}

static int trigger_error(const struct ucore_core_target *target, int code,
			 struct ucore_error *err)
{
	char name[32];

	if (target->tid)
		snprintf(name, sizeof(name), "thread %u", target->tid);
	else
		snprintf(name, sizeof(name), "CPU %u", target->cpu);
	switch (code) {
	case -EACCES:
		return ucore_error_set(err, code,
				       "core event of %s: permission denied, because samples expose the code of other users. CAP_PERFMON is needed",
				       name);
	case -ESRCH:
		return ucore_error_set(err, code, "core event: there is no %s", name);
	case -ENOENT:
	case -EAGAIN:
		return ucore_error_set(err, code,
				       "core event: there is no %s online. Choose another CPU",
				       name);
	case -EOPNOTSUPP:
		return ucore_error_set(err, code,
				       "core event of %s: the kernel's perf cannot count it here, or has no interrupt for it. Check it with 'perf stat -e', or use task-clock",
				       name);
	case -EBUSY:
		return ucore_error_set(err, code,
				       "core event of %s: the core counters are in use by a session with core events, or this session is running. Stop that session",
				       name);
	case -EINVAL:
		return ucore_error_set(err, code,
				       "core event of %s: unknown to the kernel's perf, or the session has event groups. Use another event, or no rotation",
				       name);
	case -ERANGE:
		return ucore_error_set(err, code,
				       "core event of %s: the period is out of range. Use 1 to 2^63 - 1",
				       name);
	case -ENOSPC:
		return ucore_error_set(err, code,
				       "core event of %s: too many targets. Use at most %d threads and CPUs, or choose CPUs (-C)",
				       name, UCORE_CORE_TRIGGERS_MAX);
	case -ENOTTY:
		return ucore_error_set(err, code,
				       "core event of %s: the driver does not support it. Load the ucore module of the same release",
				       name);
	default:
		return ucore_error_set(err, code, "core event of %s: %s", name, strerror(-code));
	}
}

int ucore_session_core_trigger(struct ucore_session *session,
			       const struct ucore_core_event *event, uint64_t period,
			       const struct ucore_core_target *target, struct ucore_error *err)
{
	UCORE_ARG(ucore_add_core_trigger, trigger, .flags = event->flags, .type = event->type,
		  .cpu = target->tid ? -1 : (int32_t)target->cpu, .tid = target->tid,
		  .config = event->config, .period = period);
	int ret = ucore_device_ioctl(session->dev, session->fd, UCORE_ADD_CORE_TRIGGER, &trigger);

	return ret ? trigger_error(target, ret, err) : 0;
}
