// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Rows as a table for people, CSV or JSON lines for programs.
 *
 * JSON is written by hand: output is flat rows and one nested record, and a
 * library would be a dependency for forty lines.
 */
#include <fnmatch.h>
#include <inttypes.h>
#include <string.h>

#include "out.h"
#include "tool.h"

#define CELL_LEN	512

static void digits_group(char *text, size_t size, uint64_t number)
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, number);
	size_t at = 0;

	for (int i = 0; i < length && at + 2 < size; i++) {
		if (i && (length - i) % 3 == 0)
			text[at++] = ',';
		text[at++] = digits[i];
	}
	text[at] = 0;
}

/* Two decimals, or four digits of what is small; a person cannot use more */
static void value_group(char *text, size_t size, double value)
{
	double size_of = value < 0 ? -value : value;
	char decimals[8];

	if (__builtin_isnan(value)) {
		snprintf(text, size, "-");
	} else if (size_of >= 1 && size_of < 1e15) {
		uint64_t hundredths = (uint64_t)(size_of * 100 + 0.5);

		text[0] = '-';
		digits_group(text + (value < 0), size - 1, hundredths / 100);
		snprintf(decimals, sizeof(decimals), ".%02u", (unsigned int)(hundredths % 100));
		snprintf(text + strlen(text), size - strlen(text), "%s", decimals);
	} else {
		snprintf(text, size, "%.4g", value);
	}
}

static void cell_format(const struct out *out, const struct cell *cell, char *text, size_t size)
{
	bool people = out->format == OUT_TABLE;

	switch (cell->kind) {
	case CELL_NONE:
		*text = 0;
		break;
	case CELL_TEXT:
		snprintf(text, size, "%s", cell->text);
		break;
	case CELL_COUNT:
		if (people) {
			digits_group(text, size, cell->number);
			break;
		}
		/* fall through */
	case CELL_NUMBER:
	case CELL_FLAG:
		snprintf(text, size, "%" PRIu64, cell->number);
		break;
	case CELL_NS:
		if (people)
			snprintf(text, size, "%" PRIu64 ".%09" PRIu64,
				 cell->number / NSEC_PER_SEC, cell->number % NSEC_PER_SEC);
		else
			snprintf(text, size, "%" PRIu64, cell->number);
		break;
	case CELL_REAL:
		snprintf(text, size, "%.2f", cell->real);
		break;
	case CELL_VALUE:
		if (people)
			value_group(text, size, cell->real);
		else
			snprintf(text, size, "%.9g", cell->real);
		/* programs know an empty cell */
		if (!people && __builtin_isnan(cell->real))
			*text = 0;
		break;
	}
}

/* ---- JSON -------------------------------------------------------------- */

/* Bytes of the UTF-8 character that begins here, 0 if it is none */
static size_t utf8_length(const unsigned char *text)
{
	static const struct {
		unsigned char mask, head;
		uint32_t least;
	} kinds[] = { { 0xe0, 0xc0, 0x80 }, { 0xf0, 0xe0, 0x800 }, { 0xf8, 0xf0, 0x10000 } };

	for (size_t nr = 0; nr < ARRAY_SIZE(kinds); nr++) {
		uint32_t letter = text[0] & ~kinds[nr].mask & 0xff;

		if ((text[0] & kinds[nr].mask) != kinds[nr].head)
			continue;
		for (size_t i = 1; i <= nr + 1; i++) {
			if ((text[i] & 0xc0) != 0x80)
				return 0;
			letter = letter << 6 | (text[i] & 0x3f);
		}
		if (letter < kinds[nr].least || letter > 0x10ffff ||
		    (letter >= 0xd800 && letter < 0xe000))
			return 0;
		return nr + 2;
	}
	return 0;
}

/* UTF-8 as it is; a byte that is none becomes the sign for that */
static void json_string(const struct out *out, const char *text)
{
	fputc('"', out->stream);
	while (*text) {
		unsigned char c = (unsigned char)*text;
		size_t length = c < 0x80 ? 1 : utf8_length((const unsigned char *)text);

		if (c == '"' || c == '\\')
			fputc('\\', out->stream);
		if (c < ' ' || c == 0x7f)
			fprintf(out->stream, "\\u%04x", c);
		else if (length)
			fwrite(text, 1, length, out->stream);
		else
			fputs("\\ufffd", out->stream);
		text += length ? length : 1;
	}
	fputc('"', out->stream);
}

static void json_key(struct out *out, const char *key)
{
	if (out->inside)
		fputc(',', out->stream);
	out->inside = true;
	if (!key)
		return;
	json_string(out, key);
	fputc(':', out->stream);
}

void json_begin(struct out *out, const char *key, char bracket)
{
	json_key(out, key);
	fputc(bracket, out->stream);
	out->inside = false;
}

void json_end(struct out *out, char bracket)
{
	fputc(bracket, out->stream);
	out->inside = true;
}

void json_text(struct out *out, const char *key, const char *text)
{
	json_key(out, key);
	json_string(out, text);
}

void json_number(struct out *out, const char *key, uint64_t number)
{
	json_key(out, key);
	fprintf(out->stream, "%" PRIu64, number);
}

void json_real(struct out *out, const char *key, double real)
{
	json_key(out, key);
	fprintf(out->stream, "%.3f", real);
}

void json_flag(struct out *out, const char *key, bool flag)
{
	json_key(out, key);
	fputs(flag ? "true" : "false", out->stream);
}

/* What is no number has no member */
static void json_value(struct out *out, const char *key, double value)
{
	if (__builtin_isnan(value))
		return;
	json_key(out, key);
	fprintf(out->stream, "%.9g", value);
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
	for (size_t i = 0; i < nr; i++) {
		if (cells[i].kind == CELL_TEXT)
			json_text(out, columns[i].name, cells[i].text);
		else if (cells[i].kind == CELL_REAL)
			json_real(out, columns[i].name, cells[i].real);
		else if (cells[i].kind == CELL_VALUE)
			json_value(out, columns[i].name, cells[i].real);
		else if (cells[i].kind == CELL_FLAG)
			json_flag(out, columns[i].name, cells[i].number);
		else if (cells[i].kind != CELL_NONE)
			json_number(out, columns[i].name, cells[i].number);
	}
}

/* ---- CSV --------------------------------------------------------------- */

static void csv_put(const struct out *out, const char *text)
{
	const char special[] = { out->separator, '"', '\n', '\r', 0 };

	if (!strpbrk(text, special)) {
		fputs(text, out->stream);
		return;
	}
	fputc('"', out->stream);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out->stream);
		fputc(*text, out->stream);
	}
	fputc('"', out->stream);
}

static void row_csv(const struct out *out, size_t nr, const struct cell *cells)
{
	char text[CELL_LEN];

	for (size_t i = 0; i < nr; i++) {
		cell_format(out, &cells[i], text, sizeof(text));
		if (i)
			fputc(out->separator, out->stream);
		csv_put(out, text);
	}
	fputc('\n', out->stream);
}

/* ---- table ------------------------------------------------------------- */

static void table_put(const struct out *out, const struct column *column, const char *text,
		      bool last)
{
	if (last && column->width < 0)
		fputs(text, out->stream);
	else
		fprintf(out->stream, "%*s%s", column->width, text, last ? "" : "  ");
}

/* A table row; trailing empty cells leave no blanks behind */
static void row_table(const struct out *out, const struct column *columns, size_t nr,
		      const struct cell *cells)
{
	char text[CELL_LEN];
	size_t end = nr;

	while (end && (columns[end - 1].hidden || cells[end - 1].kind == CELL_NONE))
		end--;
	for (size_t i = 0; i < end; i++) {
		if (columns[i].hidden)
			continue;
		cell_format(out, &cells[i], text, sizeof(text));
		table_put(out, &columns[i], text, i + 1 == end);
	}
	fputc('\n', out->stream);
}

static void head_table(const struct out *out, const struct column *columns, size_t nr)
{
	size_t end = nr;

	while (end && (columns[end - 1].hidden || !*columns[end - 1].heading))
		end--;
	for (size_t i = 0; i < end; i++)
		if (!columns[i].hidden)
			table_put(out, &columns[i], columns[i].heading, i + 1 == end);
	fputc('\n', out->stream);
}

/* ---- all of them ------------------------------------------------------- */

void out_head(struct out *out, const struct column *columns, size_t nr)
{
	if (out->format == OUT_TABLE)
		head_table(out, columns, nr);
	for (size_t i = 0; out->format == OUT_CSV && i < nr; i++)
		fprintf(out->stream, "%s%c", columns[i].name, i + 1 < nr ? out->separator : '\n');
}

void out_row(struct out *out, const struct column *columns, size_t nr, const struct cell *cells)
{
	switch (out->format) {
	case OUT_TABLE:
		row_table(out, columns, nr, cells);
		break;
	case OUT_CSV:
		row_csv(out, nr, cells);
		break;
	case OUT_JSON:
		json_line_begin(out);
		json_cells(out, columns, nr, cells);
		json_line_end(out);
		break;
	}
}

bool pattern_matches(const char *pattern, const char *word)
{
	if (!pattern)
		return true;
	if (strpbrk(pattern, "*?["))
		return !fnmatch(pattern, word, FNM_CASEFOLD);
	return strcasestr(word, pattern);
}
