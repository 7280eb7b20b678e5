// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Core triggers: samples of a die at overflows of core events that the kernel's perf counts.
 * The events have perf's names ("instructions").
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
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
				       "core event of %s: the kernel's perf cannot count it here, or has no interrupt for it. On efficient cores it refuses raw codes. Use a name (instructions ...), or task-clock",
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
				       "core event of %s: too many targets. Use at most %d CPUs and threads, half as many threads on a hybrid processor, or choose CPUs (-C)",
				       name, UCORE_CORE_TRIGGERS_MAX);
	case -ENOTTY:
		return ucore_error_set(err, code,
				       "core event of %s: the driver does not support it. Load the ucore module of the same release",
				       name);
	default:
		return ucore_error_set(err, code, "core event of %s: %s", name, strerror(-code));
	}
}

/* ---- hybrid processors: a PMU for each kind of cores --------------------- */

const char *ucore_perf_devices = "/sys/bus/event_source/devices";

/* Return the type of a PMU of the kernel's perf, 0 if there is no such PMU */
static uint32_t pmu_type(const char *name)
{
	unsigned int type = 0;
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s/type", ucore_perf_devices, name);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%u", &type) != 1)
		type = 0;
	fclose(file);
	return type;
}

/* Add a trigger on one PMU of a hybrid processor; @pmu 0: perf chooses the PMU */
static int trigger_add(struct ucore_session *session, const struct ucore_core_event *event,
		       uint32_t pmu, uint64_t period, const struct ucore_core_target *target,
		       struct ucore_error *err)
{
	UCORE_ARG(ucore_add_core_trigger, trigger, .flags = event->flags, .type = event->type,
		  .cpu = target->tid ? -1 : (int32_t)target->cpu, .tid = target->tid,
		  .config = event->config | (uint64_t)pmu << PERF_PMU_TYPE_SHIFT,
		  .period = period);
	int ret = ucore_device_ioctl(session->dev, session->fd, UCORE_ADD_CORE_TRIGGER, &trigger);

	return ret ? trigger_error(target, ret, err) : 0;
}

/*
 * For a thread, perf counts an event without the type of a PMU on performance cores only.
 * Therefore a thread on a hybrid processor gets a trigger on each PMU.
 */
int ucore_session_core_trigger(struct ucore_session *session,
			       const struct ucore_core_event *event, uint64_t period,
			       const struct ucore_core_target *target, struct ucore_error *err)
{
	uint32_t core = pmu_type("cpu_core"), atom = pmu_type("cpu_atom");
	int ret;

	if (!core || !atom || !target->tid || event->type == UCORE_PERF_SOFTWARE ||
	    (event->type == UCORE_PERF_HARDWARE && event->config >> PERF_PMU_TYPE_SHIFT))
		return trigger_add(session, event, 0, period, target, err);
	if (event->type != UCORE_PERF_HARDWARE)
		return ucore_error_set(err, -EOPNOTSUPP,
				       "core event of thread %u: raw codes differ between the cores of a hybrid processor. Use a name (instructions ...), or choose performance cores (-C)",
				       target->tid);
	ret = trigger_add(session, event, core, period, target, err);
	return ret ? ret : trigger_add(session, event, atom, period, target, err);
}
