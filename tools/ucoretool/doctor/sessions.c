// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The list of open sessions with their resources, for `ucoretool doctor`.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor/doctor.h"

#define BOXES_SHOWN	4

/* Write the boxes that @session owns: "imc0 of die 0 and 3 more"; return their number */
static unsigned int boxes_text(const struct doctor *doctor, uint64_t session, char *text,
			       size_t size)
{
	const struct ucore_box_info *boxes;
	char domain[UCORE_DOMAIN_NAME_LEN];
	unsigned int n = 0;
	size_t nr, len = 0;

	boxes = ucore_device_boxes(doctor->dev, &nr);
	*text = 0;
	for (size_t i = 0; i < nr; i++) {
		if (boxes[i].owner != session || n++ >= BOXES_SHOWN)
			continue;
		ucore_domain_name(boxes[i].die, boxes[i].cpu, domain, sizeof(domain));
		snprintf(text + len, size - len, "%s%s%u of %s", n > 1 ? ", " : "",
			 boxes[i].type, boxes[i].instance, domain);
		len = strlen(text);
	}
	if (n > BOXES_SHOWN)
		snprintf(text + len, size - len, " and %u more", n - BOXES_SHOWN);
	return n;
}

/* Append formatted text to @text, with ", " before it unless @text is empty */
__attribute__((format(printf, 3, 4)))
static void append(char *text, size_t size, const char *format, ...)
{
	size_t len = strlen(text);
	va_list args;

	if (len)
		snprintf(text + len, size - len, ", ");
	len = strlen(text);
	va_start(args, format);
	vsnprintf(text + len, size - len, format, args);
	va_end(args);
}

/* Write the resources of a session: boxes, PMI CPUs, rings and timer */
static void holdings_text(const struct doctor *doctor, const struct ucore_session_info *session,
			  char *text, size_t size)
{
	unsigned int own = boxes_text(doctor, session->session, text, size);

	if (session->nr_boxes > own)
		append(text, size, "counters of %u box%s shared with other sessions",
		       session->nr_boxes - own, session->nr_boxes - own > 1 ? "es" : "");
	if (session->nr_pinned)
		append(text, size, "the PMI CPUs of %u die%s", session->nr_pinned,
		       session->nr_pinned > 1 ? "s" : "");
	if (session->nr_domains && session->ring_size)
		append(text, size, "%u ring%s of %u KiB", session->nr_domains,
		       session->nr_domains > 1 ? "s" : "", session->ring_size / 1024);
	if (session->timer_ns && session->state == UCORE_SESSION_RUNNING)
		append(text, size, "a timer of %llu us",
		       (unsigned long long)session->timer_ns / 1000);
	if (!*text)
		append(text, size, "only a reference to the module");
}

static bool process_is_gone(const struct doctor *doctor, uint32_t pid)
{
	char path[600];

	snprintf(path, sizeof(path), "%s/proc/%u", doctor->root, pid);
	return pid && access(path, F_OK);
}

static const char *state_text(uint32_t state)
{
	switch (state) {
	case UCORE_SESSION_RUNNING:
		return "running";
	case UCORE_SESSION_REVOKED:
		return "revoked";
	default:
		return "stopped";
	}
}

static void check_session(struct doctor *doctor, const struct ucore_session_info *session)
{
	bool gone = process_is_gone(doctor, session->pid);
	bool lost = gone && (session->nr_boxes || session->nr_pinned);
	char holdings[400], advice[120];

	holdings_text(doctor, session, holdings, sizeof(holdings));
	snprintf(advice, sizeof(advice),
		 "another process may have the descriptor; to release the session: ucoretool revoke %llu",
		 (unsigned long long)session->session);
	doctor_report(doctor, lost ? VERDICT_WARNING : VERDICT_OK, "session", lost ? advice : NULL,
		      "session %llu of %s (pid %u%s, user %u), %s, holds %s",
		      (unsigned long long)session->session, session->comm, session->pid,
		      gone ? ", gone" : "", session->uid,
		      state_text(session->state), holdings);
}

void doctor_check_sessions(struct doctor *doctor)
{
	struct ucore_session_info *sessions;
	size_t nr;

	if (ucore_device_sessions(doctor->dev, &sessions, &nr, NULL))
		return;
	for (size_t i = 0; i < nr; i++)
		check_session(doctor, &sessions[i]);
	free(sessions);
}
