/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The checks of `ucoretool doctor`.  Each check prints its findings with doctor_report().
 */
#ifndef UCORETOOL_DOCTOR_H
#define UCORETOOL_DOCTOR_H

#include "output/table.h"
#include "tool.h"

enum verdict {
	VERDICT_OK,
	VERDICT_WARNING,
	VERDICT_PROBLEM,
};

/**
 * struct doctor - state of the checks
 * @tool: the tool
 * @root: folder that contains proc, sys, lib and dev (--root); "" for this machine's
 * @out: output stream and format
 * @count: number of findings of each verdict
 * @dev: open device, NULL if it could not be opened
 * @open_error: -errno of ucore_device_open(), or 0
 * @open_text: error text of ucore_device_open()
 * @info: GET_INFO result, NULL without a device
 * @virtual: true in a virtual machine
 */
struct doctor {
	struct tool *tool;
	const char *root;
	struct out out;
	unsigned int count[VERDICT_PROBLEM + 1];
	struct ucore_device *dev;
	int open_error;
	char open_text[UCORE_ERROR_LEN];
	const struct ucore_get_info *info;
	bool virtual;
};

/**
 * doctor_report() - print one finding
 * @doctor: state of the checks
 * @verdict: verdict of the check
 * @check: name of the check
 * @advice: recommended action, NULL if none is needed
 * @format: printf(3) format of the finding
 */
void doctor_report(struct doctor *doctor, enum verdict verdict, const char *check,
		   const char *advice, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* ---- files below --root ------------------------------------------------ */

/** doctor_path() - write @path, prefixed by doctor.root, to @text */
void doctor_path(const struct doctor *doctor, const char *path, char *text, size_t size);

/** doctor_file_exists() - return true if the file @path exists below --root */
bool doctor_file_exists(const struct doctor *doctor, const char *path);

/** doctor_file_read() - read the first @size - 1 bytes of a file; @text is "" on failure */
bool doctor_file_read(const struct doctor *doctor, const char *path, char *text, size_t size);

/**
 * doctor_file_has_line() - return true if a line starts with @start and contains @inside
 * @doctor: state of the checks
 * @path: path of the file, which may be large
 * @start: start of the line
 * @inside: text in the line, NULL: any text
 */
bool doctor_file_has_line(const struct doctor *doctor, const char *path, const char *start,
			  const char *inside);

/** doctor_directory_has() - return true if a folder has an entry that starts with @start */
bool doctor_directory_has(const struct doctor *doctor, const char *path, const char *start);

/* ---- checks ------------------------------------------------------------ */

/* Checks of the processor, the kernel module and the device node (machine.c) */
void doctor_check_processor(struct doctor *doctor);
void doctor_check_virtual(struct doctor *doctor);
bool doctor_check_module(struct doctor *doctor);	/* true: the module is loaded */
void doctor_check_intree(struct doctor *doctor);
void doctor_check_node(struct doctor *doctor, bool loaded);

/* Checks that need an open device: boxes, discovery, domains, core counters (boxes.c) */
void doctor_check_boxes(struct doctor *doctor);
void doctor_check_discovery(struct doctor *doctor);
void doctor_check_domains(struct doctor *doctor);
void doctor_check_overflow(struct doctor *doctor);
void doctor_check_core(struct doctor *doctor);
void doctor_check_selftests(struct doctor *doctor);

/* List of the open sessions of all processes (sessions.c) */
void doctor_check_sessions(struct doctor *doctor);

#endif /* UCORETOOL_DOCTOR_H */
