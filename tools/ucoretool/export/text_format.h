/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prometheus' text format: families of samples, each with HELP and TYPE.
 */
#ifndef UCORETOOL_EXPOSE_H
#define UCORETOOL_EXPOSE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define EXPOSE_TYPE	"text/plain; version=0.0.4; charset=utf-8"

/**
 * struct expose - a page of samples being written
 * @stream: where it goes
 * @family: the family whose samples follow
 * @labels: labels of the sample that is open
 */
struct expose {
	FILE *stream;
	const char *family;
	unsigned int labels;
};

/*
 * A page is families one after the other: expose_counter() or expose_gauge(), then
 * for each sample expose_begin(), its labels, and one of the values, which ends it.
 */

/** expose_counter() - the samples that follow are of this counter: its name ends in _total */
void expose_counter(struct expose *page, const char *name, const char *help);

/** expose_gauge() - the samples that follow are of this gauge */
void expose_gauge(struct expose *page, const char *name, const char *help);

/** expose_begin() - begin a sample of the family */
void expose_begin(struct expose *page);

/** expose_label() - give the sample a label, whatever its value has in it */
void expose_label(struct expose *page, const char *name, const char *value);

/** expose_label_number() - give the sample a label with a number */
void expose_label_number(struct expose *page, const char *name, uint32_t number);

/** expose_number() - end the sample: its value is a whole number */
void expose_number(struct expose *page, uint64_t number);

/** expose_seconds() - end the sample: its value is so many nanoseconds, said in seconds */
void expose_seconds(struct expose *page, uint64_t ns);

/** expose_bytes() - end the sample: @count counts, @per of which stand for @bytes bytes */
void expose_bytes(struct expose *page, uint64_t count, uint32_t bytes, uint32_t per);

#endif /* UCORETOOL_EXPOSE_H */
