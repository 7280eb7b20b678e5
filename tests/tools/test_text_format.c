// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Prometheus text format: labels, numbers, and byte counts of more than 64 bits.
 */
#include <stdio.h>
#include <stdlib.h>

#include "export/text_format.h"
#include "unit.h"

/* Compare a page with the expected text */
struct text {
	struct expose page;
	char *data;
	size_t size;
};

static void text_begin(struct text *text)
{
	memset(text, 0, sizeof(*text));
	text->page.stream = open_memstream(&text->data, &text->size);
	assert_non_null(text->page.stream);
}

static void assert_text(struct text *text, const char *expected)
{
	assert_int_equal(fclose(text->page.stream), 0);
	assert_string_equal(text->data, expected);
	free(text->data);
}

static void family_header_is_written_once(void **state)
{
	struct text text;

	(void)state;
	text_begin(&text);
	expose_counter(&text.page, "a_total", "What a is.");
	expose_begin(&text.page);
	expose_label_number(&text.page, "socket", 1);
	expose_label(&text.page, "box", "imc0");
	expose_number(&text.page, UINT64_MAX);
	expose_begin(&text.page);
	expose_number(&text.page, 0);
	expose_gauge(&text.page, "b", "What b is.");
	expose_begin(&text.page);
	expose_seconds(&text.page, 1000000001);
	assert_text(&text, "# HELP a_total What a is.\n# TYPE a_total counter\n"
		    "a_total{socket=\"1\",box=\"imc0\"} 18446744073709551615\na_total 0\n"
		    "# HELP b What b is.\n# TYPE b gauge\nb 1.000000001\n");
}

static void label_characters_are_escaped(void **state)
{
	struct text text;

	(void)state;
	text_begin(&text);
	expose_gauge(&text.page, "a", "A.");
	expose_begin(&text.page);
	expose_label(&text.page, "l", "\"b\\c\nd\"");
	expose_label(&text.page, "m", "");
	expose_number(&text.page, 1);
	assert_text(&text, "# HELP a A.\n# TYPE a gauge\n"
		    "a{l=\"\\\"b\\\\c\\nd\\\"\",m=\"\"} 1\n");
}

static void byte_counts_do_not_wrap(void **state)
{
	struct text text;

	(void)state;
	text_begin(&text);
	expose_counter(&text.page, "a_total", "A.");
	expose_begin(&text.page);
	expose_bytes(&text.page, 10, 64, 9);
	expose_begin(&text.page);
	expose_bytes(&text.page, UINT64_MAX / 64, 64, 1);
	expose_begin(&text.page);
	expose_bytes(&text.page, UINT64_MAX / 64 + 1, 64, 1);
	expose_begin(&text.page);
	expose_bytes(&text.page, UINT64_MAX, 64, 1);
	assert_text(&text, "# HELP a_total A.\n# TYPE a_total counter\na_total 71\n"
		    "a_total 18446744073709551552\na_total 1.8446744073709552e+19\n"
		    "a_total 1.1805916207174113e+21\n");
}

static const struct CMUnitTest tests[] = {
	TEST(family_header_is_written_once),
	TEST(label_characters_are_escaped),
	TEST(byte_counts_do_not_wrap),
};

UNIT_MAIN(tests)
