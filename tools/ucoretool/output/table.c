// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Output of rows as a table, CSV or JSON lines.
 *
 * The JSON writer is part of this file, because it is too small to justify a library.
 *
 * A row is assembled in a buffer and passed to the stream with one call, and numbers are
 * converted without printf(3).  A stream call for each character would dominate the cost of
 * an interval of stat.
 */
#include <fnmatch.h>
#include <inttypes.h>
#include <string.h>

#include "output/decimal.h"
#include "output/table.h"
#include "tool.h"

#define CELL_LEN	512
#define LINE_LEN	1024

/* ---- line buffer ------------------------------------------------------- */

struct line {
	FILE *stream;
	size_t used;
	char text[LINE_LEN];
};

/* Assign the members one by one because an initializer would clear the text buffer */
static void line_begin(struct line *line, const struct out *out)
{
	line->stream = out->stream;
	line->used = 0;
}

static void line_end(struct line *line)
{
	fwrite(line->text, 1, line->used, line->stream);
	line->used = 0;
}

static void put(struct line *line, char c)
{
	if (line->used == sizeof(line->text))
		line_end(line);
	line->text[line->used++] = c;
}

static void put_bytes(struct line *line, const char *text, size_t length)
{
	if (length > sizeof(line->text) - line->used)
		line_end(line);
	if (length > sizeof(line->text)) {
		fwrite(text, 1, length, line->stream);
		return;
	}
	memcpy(line->text + line->used, text, length);
	line->used += length;
}

static void put_text(struct line *line, const char *text)
{
	put_bytes(line, text, strlen(text));
}

static void put_blanks(struct line *line, size_t nr)
{
	while (nr--)
		put(line, ' ');
}

/* ---- text of a cell ---------------------------------------------------- */

static void digits_group(char *text, size_t size, uint64_t number)
{
	char digits[DIGITS_LEN];
	size_t length = digits_number(digits, number), at = 0;

	for (size_t i = 0; i < length && at + 2 < size; i++) {
		if (i && (length - i) % 3 == 0)
			text[at++] = ',';
		text[at++] = digits[i];
	}
	text[at] = 0;
}

/*
 * Write a value with grouped digits and two decimals.  If @small is set, write a value that would
 * lose most of its digits with two significant digits.
 */
static void value_group(char *text, size_t size, double value, bool small)
{
	double magnitude = value < 0 ? -value : value;
	char decimals[8];

	if (__builtin_isnan(value)) {
		snprintf(text, size, "-");
	} else if (small && magnitude && magnitude < 0.1) {
		snprintf(text, size, "%.2g", value);
	} else if (magnitude < 1e15) {
		uint64_t hundredths = (uint64_t)(magnitude * 100 + 0.5);

		text[0] = '-';
		digits_group(text + (value < 0), size - 1, hundredths / 100);
		snprintf(decimals, sizeof(decimals), ".%02u", (unsigned int)(hundredths % 100));
		snprintf(text + strlen(text), size - strlen(text), "%s", decimals);
	} else {
		snprintf(text, size, "%.4g", value);
	}
}

static void text_copy(char *text, size_t size, const char *from)
{
	size_t length = strnlen(from, size - 1);

	memcpy(text, from, length);
	text[length] = 0;
}

static void cell_format(const struct out *out, const struct cell *cell, char *text, size_t size)
{
	bool people = out->format == OUT_TABLE;

	switch (cell->kind) {
	case CELL_NONE:
		*text = 0;
		break;
	case CELL_TEXT:
		text_copy(text, size, cell->text);
		break;
	case CELL_COUNT:
		if (people) {
			digits_group(text, size, cell->number);
			break;
		}
		/* fall through */
	case CELL_NUMBER:
	case CELL_FLAG:
		digits_number(text, cell->number);
		break;
	case CELL_NS:
		if (people)
			snprintf(text, size, "%" PRIu64 ".%09" PRIu64,
				 cell->number / NSEC_PER_SEC, cell->number % NSEC_PER_SEC);
		else
			digits_number(text, cell->number);
		break;
	case CELL_REAL:
		if (people)
			value_group(text, size, cell->real, false);
		else
			digits_fixed(text, size, cell->real, 2);
		break;
	case CELL_VALUE:
		if (people)
			value_group(text, size, cell->real, true);
		else
			snprintf(text, size, "%.9g", cell->real);
		/* write NaN as an empty cell in CSV */
		if (!people && __builtin_isnan(cell->real))
			*text = 0;
		break;
	}
}

/* ---- JSON -------------------------------------------------------------- */

/* Return the length of the multi-byte UTF-8 character at @text, 0 if not valid */
static size_t utf8_length(const unsigned char *text)
{
	static const struct {
		unsigned char mask, head;
		uint32_t least;
	} kinds[] = { { 0xe0, 0xc0, 0x80 }, { 0xf0, 0xe0, 0x800 }, { 0xf8, 0xf0, 0x10000 } };

	for (size_t nr = 0; nr < ARRAY_SIZE(kinds); nr++) {
		uint32_t code = text[0] & ~kinds[nr].mask & 0xff;

		if ((text[0] & kinds[nr].mask) != kinds[nr].head)
			continue;
		for (size_t i = 1; i <= nr + 1; i++) {
			if ((text[i] & 0xc0) != 0x80)
				return 0;
			code = code << 6 | (text[i] & 0x3f);
		}
		if (code < kinds[nr].least || code > 0x10ffff ||
		    (code >= 0xd800 && code < 0xe000))
			return 0;
		return nr + 2;
	}
	return 0;
}

/* Return true for printable ASCII that JSON strings contain without an escape */
static bool is_plain(unsigned char c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

/* Write a character of a JSON string that is not is_plain(); return its length in @text (bytes) */
static size_t put_special(struct line *line, const char *text)
{
	unsigned char c = (unsigned char)*text;
	size_t length = c < 0x80 ? 1 : utf8_length((const unsigned char *)text);
	char escape[8];

	if (c == '"' || c == '\\') {
		put(line, '\\');
		put(line, *text);
	} else if (length == 1) {
		snprintf(escape, sizeof(escape), "\\u%04x", c);
		put_text(line, escape);
	} else if (length) {
		put_bytes(line, text, length);
	} else {
		/* write U+FFFD in place of a byte that is not valid UTF-8 */
		put_text(line, "\\ufffd");
		length = 1;
	}
	return length;
}

static void put_string(struct line *line, const char *text)
{
	put(line, '"');
	for (;;) {
		size_t length = 0;

		while (is_plain((unsigned char)text[length]))
			length++;
		put_bytes(line, text, length);
		text += length;
		if (!*text)
			break;
		text += put_special(line, text);
	}
	put(line, '"');
}

static void put_key(struct line *line, struct out *out, const char *key)
{
	if (out->inside)
		put(line, ',');
	out->inside = true;
	if (!key)
		return;
	put_string(line, key);
	put(line, ':');
}

/* Write a cell as a member of a JSON object; omit empty cells and NaN */
static void put_member(struct line *line, struct out *out, const char *key,
		       const struct cell *cell)
{
	char text[CELL_LEN];

	if (cell->kind == CELL_NONE || (cell->kind == CELL_VALUE && __builtin_isnan(cell->real)))
		return;
	put_key(line, out, key);
	switch (cell->kind) {
	case CELL_TEXT:
		put_string(line, cell->text);
		return;
	case CELL_FLAG:
		put_text(line, cell->number ? "true" : "false");
		return;
	case CELL_REAL:
		digits_fixed(text, sizeof(text), cell->real, 3);
		break;
	case CELL_VALUE:
		snprintf(text, sizeof(text), "%.9g", cell->real);
		break;
	default:
		digits_number(text, cell->number);
		break;
	}
	put_text(line, text);
}

static void put_object(struct line *line, struct out *out, const struct column *columns,
		       size_t nr, const struct cell *cells)
{
	for (size_t i = 0; i < nr; i++)
		put_member(line, out, columns[i].name, &cells[i]);
}

static void json_member(struct out *out, const char *key, struct cell cell)
{
	struct line line;

	line_begin(&line, out);
	put_member(&line, out, key, &cell);
	line_end(&line);
}

void json_begin(struct out *out, const char *key, char bracket)
{
	struct line line;

	line_begin(&line, out);
	put_key(&line, out, key);
	put(&line, bracket);
	line_end(&line);
	out->inside = false;
}

void json_end(struct out *out, char bracket)
{
	fputc(bracket, out->stream);
	out->inside = true;
}

void json_text(struct out *out, const char *key, const char *text)
{
	json_member(out, key, cell_text(text));
}

void json_number(struct out *out, const char *key, uint64_t number)
{
	json_member(out, key, cell_number(number));
}

void json_real(struct out *out, const char *key, double real)
{
	json_member(out, key, cell_real(real));
}

void json_flag(struct out *out, const char *key, bool flag)
{
	json_member(out, key, cell_flag(flag));
}

void json_line_begin(struct out *out)
{
	out->inside = false;
	json_begin(out, NULL, '{');
}

void json_line_end(struct out *out)
{
	json_end(out, '}');
	fputc('\n', out->stream);
}

void json_cells(struct out *out, const struct column *columns, size_t nr,
		const struct cell *cells)
{
	struct line line;

	line_begin(&line, out);
	put_object(&line, out, columns, nr, cells);
	line_end(&line);
}

static void row_json(struct line *line, struct out *out, const struct column *columns, size_t nr,
		     const struct cell *cells)
{
	put(line, '{');
	out->inside = false;
	put_object(line, out, columns, nr, cells);
	put(line, '}');
	out->inside = true;
}

/* ---- CSV --------------------------------------------------------------- */

static void csv_put(struct line *line, const struct out *out, const char *text)
{
	const char special[] = { out->separator, '"', '\n', '\r', 0 };

	if (!strpbrk(text, special)) {
		put_text(line, text);
		return;
	}
	put(line, '"');
	for (; *text; text++) {
		if (*text == '"')
			put(line, '"');
		put(line, *text);
	}
	put(line, '"');
}

static void row_csv(struct line *line, const struct out *out, size_t nr, const struct cell *cells)
{
	char text[CELL_LEN];

	for (size_t i = 0; i < nr; i++) {
		if (i)
			put(line, out->separator);
		cell_format(out, &cells[i], text, sizeof(text));
		csv_put(line, out, text);
	}
}

static void head_csv(struct line *line, const struct out *out, const struct column *columns,
		     size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (i)
			put(line, out->separator);
		put_text(line, columns[i].name);
	}
}

/* ---- table ------------------------------------------------------------- */

static void table_put(struct line *line, const struct column *column, const char *text, bool last)
{
	size_t length = strlen(text);
	size_t width = (size_t)(column->width < 0 ? -column->width : column->width);
	size_t blanks = width > length ? width - length : 0;

	put_blanks(line, column->width > 0 ? blanks : 0);
	put_bytes(line, text, length);
	if (!last)
		put_blanks(line, (column->width < 0 ? blanks : 0) + 2);
}

/* Write a table row without trailing blanks */
static void row_table(struct line *line, const struct out *out, const struct column *columns,
		      size_t nr, const struct cell *cells)
{
	char text[CELL_LEN];
	size_t end = nr;

	while (end && (columns[end - 1].hidden || cells[end - 1].kind == CELL_NONE))
		end--;
	for (size_t i = 0; i < end; i++) {
		if (columns[i].hidden)
			continue;
		cell_format(out, &cells[i], text, sizeof(text));
		table_put(line, &columns[i], text, i + 1 == end);
	}
}

static void head_table(struct line *line, const struct column *columns, size_t nr)
{
	size_t end = nr;

	while (end && (columns[end - 1].hidden || !*columns[end - 1].heading))
		end--;
	for (size_t i = 0; i < end; i++)
		if (!columns[i].hidden)
			table_put(line, &columns[i], columns[i].heading, i + 1 == end);
}

/* ---- all formats ------------------------------------------------------- */

void out_head(struct out *out, const struct column *columns, size_t nr)
{
	struct line line;

	if (out->format == OUT_JSON)
		return;
	line_begin(&line, out);
	if (out->format == OUT_TABLE)
		head_table(&line, columns, nr);
	else
		head_csv(&line, out, columns, nr);
	put(&line, '\n');
	line_end(&line);
}

void out_row(struct out *out, const struct column *columns, size_t nr, const struct cell *cells)
{
	struct line line;

	line_begin(&line, out);
	switch (out->format) {
	case OUT_TABLE:
		row_table(&line, out, columns, nr, cells);
		break;
	case OUT_CSV:
		row_csv(&line, out, nr, cells);
		break;
	case OUT_JSON:
		row_json(&line, out, columns, nr, cells);
		break;
	}
	put(&line, '\n');
	line_end(&line);
}

bool pattern_matches(const char *pattern, const char *word)
{
	if (!pattern)
		return true;
	if (strpbrk(pattern, "*?["))
		return !fnmatch(pattern, word, FNM_CASEFOLD);
	return strcasestr(word, pattern);
}
