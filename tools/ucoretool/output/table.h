/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Output of rows as a table for people, or as CSV or JSON lines for programs.
 */
#ifndef UCORETOOL_TABLE_H
#define UCORETOOL_TABLE_H

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
 * struct out - an output stream and its format
 * @stream: file or standard output
 * @format: table, CSV or JSON lines
 * @separator: character between the values of a CSV row
 * @inside: true if the open JSON object or array has a member, so that the next needs a comma
 */
struct out {
	FILE *stream;
	enum out_format format;
	char separator;
	bool inside;
};

/* Format of a cell's value; CELL_NONE is empty in tables and CSV, and absent in JSON */
enum cell_kind {
	CELL_NONE,
	CELL_TEXT,
	CELL_COUNT,		/* integer; tables group the digits */
	CELL_NUMBER,
	CELL_FLAG,		/* true or false in JSON, 1 or 0 in tables and CSV */
	CELL_NS,		/* time in ns; tables show seconds, CSV and JSON have ns */
	CELL_REAL,		/* real number; tables (grouped) and CSV two decimals, JSON three */
	CELL_VALUE,		/* real number in full precision; tables group the digits */
};

struct cell {
	enum cell_kind kind;
	const char *text;
	uint64_t number;
	double real;
};

/**
 * struct column - column of a table, CSV or JSON
 * @name: name in CSV and JSON
 * @heading: heading in tables
 * @width: width in a table (characters), negative: aligned to the left
 * @hidden: true if tables omit the column
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

/* Return the cell of a value; NaN is "-" in a table, empty in CSV and absent in JSON */
static inline struct cell cell_value(double real)
{
	return (struct cell) { .kind = CELL_VALUE, .real = real };
}

/** out_head() - print the header line, except in JSON */
void out_head(struct out *out, const struct column *columns, size_t nr);

/** out_row() - print a row of @nr cells; in JSON one object on one line */
void out_row(struct out *out, const struct column *columns, size_t nr, const struct cell *cells);

/*
 * Nested JSON is written member by member between json_begin() and json_end().  @key is NULL
 * for elements of arrays.
 */

/** json_line_begin() - begin an object at the start of a line */
void json_line_begin(struct out *out);

/** json_line_end() - end the object and its line */
void json_line_end(struct out *out);

void json_begin(struct out *out, const char *key, char bracket);
void json_end(struct out *out, char bracket);
void json_text(struct out *out, const char *key, const char *text);
void json_number(struct out *out, const char *key, uint64_t number);
void json_real(struct out *out, const char *key, double real);
void json_flag(struct out *out, const char *key, bool flag);

/** json_cells() - write the cells of a row as members of the open object */
void json_cells(struct out *out, const struct column *columns, size_t nr,
		const struct cell *cells);

/**
 * pattern_matches() - return true if a name matches a pattern, ignoring case
 * @pattern: shell pattern for the whole name, or any part of the name if the pattern has
 *           no wildcard; NULL matches every name
 * @word: name
 */
bool pattern_matches(const char *pattern, const char *word);

#endif /* UCORETOOL_TABLE_H */
