/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writer of Prometheus' text format. A family of metrics has a HELP line, a TYPE line, and a line
 * for each value with its labels.
 */
#ifndef UCORETOOL_EXPORT_TEXT_FORMAT_H
#define UCORETOOL_EXPORT_TEXT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define EXPOSE_TYPE	"text/plain; version=0.0.4; charset=utf-8"

/**
 * struct expose - state of a page in Prometheus' text format while it is written
 * @stream: output stream
 * @family: name of the family that is written
 * @labels: number of labels written on the current line
 */
struct expose {
	FILE *stream;
	const char *family;
	unsigned int labels;
};

/*
 * A page is a sequence of families. A family starts with expose_counter() or expose_gauge().
 * Each line of the family is expose_begin(), the labels, and one value, which ends the line.
 */

/** expose_counter() - start a family of type counter, whose name must end in _total */
void expose_counter(struct expose *page, const char *name, const char *help);

/** expose_gauge() - start a family of type gauge */
void expose_gauge(struct expose *page, const char *name, const char *help);

/** expose_begin() - start a line of the current family */
void expose_begin(struct expose *page);

/** expose_label() - add a label to the line; special characters of @value are escaped */
void expose_label(struct expose *page, const char *name, const char *value);

/** expose_label_number() - add a label with a number to the line */
void expose_label_number(struct expose *page, const char *name, uint32_t number);

/** expose_number() - end the line with an integer value */
void expose_number(struct expose *page, uint64_t number);

/** expose_seconds() - end the line with the time @ns in seconds */
void expose_seconds(struct expose *page, uint64_t ns);

/** expose_bytes() - end the line with @count counts as bytes: @per counts are @bytes bytes */
void expose_bytes(struct expose *page, uint64_t count, uint32_t bytes, uint32_t per);

#endif /* UCORETOOL_EXPORT_TEXT_FORMAT_H */
