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
 * @root: folder above proc, sys, lib and dev, "" for the real ones
 * @out: output stream and format
 * @count: number of findings of each verdict
 * @dev: open device, NULL if it could not be opened
 * @open_error: -errno from opening the device, or 0
 * @open_text: error text from opening the device
 * @info: information about the device, NULL without a device
 * @virtual: true in a virtual machine
 * @known_discovery: true if the processor is known and describes its boxes in discovery tables
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
	bool known_discovery;
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

/** doctor_path() - write the path of a file below --root */
void doctor_path(const struct doctor *doctor, const char *path, char *text, size_t size);

/** doctor_file_exists() - return true if a file exists */
bool doctor_file_exists(const struct doctor *doctor, const char *path);

/** doctor_file_read() - read the start of a file as text; @text is empty if that fails */
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

/* The machine, the module and the device node (machine.c) */
void doctor_check_processor(struct doctor *doctor);
void doctor_check_virtual(struct doctor *doctor);
bool doctor_check_module(struct doctor *doctor);	/* true: the module is loaded */
void doctor_check_intree(struct doctor *doctor);
void doctor_check_node(struct doctor *doctor, bool loaded);

/* Boxes and domains of an open device (boxes.c) */
void doctor_check_boxes(struct doctor *doctor);
void doctor_check_discovery(struct doctor *doctor);
void doctor_check_domains(struct doctor *doctor);
void doctor_check_overflow(struct doctor *doctor);
void doctor_check_core(struct doctor *doctor);
void doctor_check_selftests(struct doctor *doctor);

/* Sessions of all processes (sessions.c) */
void doctor_check_sessions(struct doctor *doctor);

#endif /* UCORETOOL_DOCTOR_H */
