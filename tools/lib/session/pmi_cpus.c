// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Choice of the CPUs that receive a session's overflow interrupts (PMIs).
 */
#include "session/session.h"

/* Write a list of CPUs for error texts, "CPU 3" or "CPUs 3,0"; a long list is truncated */
static const char *cpus_text(const uint32_t *cpus, size_t nr, char *text, size_t size)
{
	int at = snprintf(text, size, nr > 1 ? "CPUs " : "CPU ");

	for (size_t i = 0; i < nr && at > 0 && (size_t)at < size; i++)
		at += snprintf(text + at, size - (size_t)at, "%s%u", i ? "," : "", cpus[i]);
	return text;
}

int ucore_session_pmi_cpus(struct ucore_session *session, const uint32_t *cpus, size_t nr,
			   struct ucore_error *err)
{
	UCORE_ARG(ucore_set_pmi_cpus, set, .nr = (uint32_t)nr, .cpus = (uintptr_t)cpus);
	const char *one = nr > 1 ? "one of them: " : "";
	int ret = session_ioctl(session, UCORE_SET_PMI_CPUS, &set);
	char text[64];

	cpus_text(cpus, nr, text, sizeof(text));
	switch (ret) {
	case 0:
		return 0;
	case -EINVAL:
		return ucore_error_set(err, ret,
				       "%s: a CPU is repeated, or the list is too long. Name each CPU once, and at most %u",
				       text, UCORE_PMI_CPUS_MAX);
	case -ENOENT:
		return ucore_error_set(err, ret,
				       "%s: %sno such CPU, or its die has no boxes. Choose another CPU",
				       text, one);
	case -EAGAIN:
		return ucore_error_set(err, ret, "%s: %soffline. Choose another CPU", text, one);
	case -EPERM:
		return ucore_error_set(err, ret,
				       "%s: %sexcluded by your CPU affinity. Choose another CPU (taskset -p $$), or use CAP_SYS_NICE",
				       text, one);
	case -ERANGE:
		return ucore_error_set(err, ret,
				       "%s: %spmi_core_sel cannot address its core. Choose another CPU",
				       text, one);
	case -EBUSY:
		return ucore_error_set(err, ret,
				       "%s: another session uses other CPUs for the PMI of this die, or this session is running. Use the same CPUs, or stop the session",
				       text);
	default:
		return ucore_error_set(err, ret, "%s: cannot receive the PMI: %s", text,
				       strerror(-ret));
	}
}
