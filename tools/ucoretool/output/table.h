/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Output: rows as a table for people, as CSV or as JSON lines for programs.
 */
#ifndef UCORETOOL_OUT_H
#define UCORETOOL_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum out_format {
	OUT_TABLE,
	OUT_CSV,
	OUT_JSON,
};

/**
 * struct out - where output goes, and how
 * @stream: the file or standard output
 * @format: table, CSV or JSON lines
 * @separator: what stands between the values of a CSV row
 * @inside: a member has been written to the JSON object or array that is open
 */
struct out {
	FILE *stream;
	enum out_format format;
	char separator;
	bool inside;
};

/* How a cell is written; a cell of kind NONE is empty, and no member in JSON */
enum cell_kind {
	CELL_NONE,
	CELL_TEXT,
	CELL_COUNT,		/* a table groups the digits */
	CELL_NUMBER,
	CELL_FLAG,		/* true or false in JSON, else 1 or 0 */
	CELL_NS,		/* a table shows seconds, CSV and JSON have nanoseconds */
	CELL_REAL,		/* a table and CSV show two decimals, JSON has three */
	CELL_VALUE,		/* as exact as it is; a table groups the digits of what is large */
};

struct cell {
	enum cell_kind kind;
	const char *text;
	uint64_t number;
	double real;
};

/**
 * struct column - one column of rows
 * @name: its name for programs
 * @heading: its name for people
 * @width: letters it takes in a table; negative: its text begins at the left
 * @hidden: tables do without it
 */
struct column {
	const char *name;
	const char *heading;
	int width;
	bool hidden;
};

static inline struct cell cell_none(void)
{
	return (struct cell) { .kind = CELL_NONE };
}

static inline struct cell cell_text(const char *text)
{
	return (struct cell) { .kind = CELL_TEXT, .text = text };
}

static inline struct cell cell_number(uint64_t number)
{
	return (struct cell) { .kind = CELL_NUMBER, .number = number };
}

static inline struct cell cell_flag(bool flag)
{
	return (struct cell) { .kind = CELL_FLAG, .number = flag };
}

static inline struct cell cell_count(uint64_t number)
{
	return (struct cell) { .kind = CELL_COUNT, .number = number };
}

static inline struct cell cell_ns(uint64_t number)
{
	return (struct cell) { .kind = CELL_NS, .number = number };
}

static inline struct cell cell_real(double real)
{
	return (struct cell) { .kind = CELL_REAL, .real = real };
}

/* A value that may be none (NaN): "-" in a table, empty in CSV, no member in JSON */
static inline struct cell cell_value(double real)
{
	return (struct cell) { .kind = CELL_VALUE, .real = real };
}

/** out_head() - the line above the rows, in the formats that have one */
void out_head(struct out *out, const struct column *columns, size_t nr);

/** out_row() - one row of @nr cells; in JSON an object on a line of its own */
void out_row(struct out *out, const struct column *columns, size_t nr, const struct cell *cells);

/*
 * JSON that is no flat row is written member by member: what stands between a
 * begin and its end belongs to it.  @key is NULL in arrays.
 */

/** json_line_begin() - begin an object that has a line of its own */
void json_line_begin(struct out *out);

/** json_line_end() - end the object and its line */
void json_line_end(struct out *out);

void json_begin(struct out *out, const char *key, char bracket);
void json_end(struct out *out, char bracket);
void json_text(struct out *out, const char *key, const char *text);
void json_number(struct out *out, const char *key, uint64_t number);
void json_real(struct out *out, const char *key, double real);
void json_flag(struct out *out, const char *key, bool flag);

/** json_cells() - the cells of a row as members of the object that is open */
void json_cells(struct out *out, const struct column *columns, size_t nr,
		const struct cell *cells);

/**
 * pattern_matches() - does a word match what the user looks for?
 * @pattern: a shell pattern; without * and ? it may stand anywhere in the word,
 *           and NULL matches every word
 * @word: the word, whose case does not matter
 */
bool pattern_matches(const char *pattern, const char *word);

#endif /* UCORETOOL_OUT_H */
