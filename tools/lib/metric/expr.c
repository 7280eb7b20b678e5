// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Formulas of metrics: parser, compiler and evaluation of numbers, + - * /, parentheses, min(),
 * max() and names.  The caller resolves names, so that this layer does not depend on events.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "metric/expr.h"

#define MAX_DEPTH	64	/* maximum nesting depth of parentheses and signs */

#define NAME_CHARS	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_."

struct parser {
	const char *text;
	const char *at;
	struct ucore_expr *expr;
	struct ucore_expr_names *names;
	unsigned int depth;
	struct ucore_error *err;
};

/* ---- operations of a formula ------------------------------------------- */

static int op_add(struct ucore_expr *expr, struct ucore_expr_op op, struct ucore_error *err)
{
	if (expr->nr == UCORE_EXPR_OPS)
		return ucore_error_set(err, -EINVAL, "formula: too long. Use at most %d operations",
				       UCORE_EXPR_OPS);
	if (expr->nr == expr->capacity) {
		size_t capacity = expr->capacity ? 2 * expr->capacity : 16;
		struct ucore_expr_op *ops = realloc(expr->ops, capacity * sizeof(*ops));

		if (!ops)
			return ucore_error_set(err, -ENOMEM, "out of memory");
		expr->ops = ops;
		expr->capacity = capacity;
	}
	expr->ops[expr->nr++] = op;
	return 0;
}

/* Add an operation that pushes a value on the evaluation stack */
static int value_add(struct ucore_expr *expr, struct ucore_expr_op op, struct ucore_error *err)
{
	if (expr->height == UCORE_EXPR_STACK)
		return ucore_error_set(err, -EINVAL,
				       "formula: more than %d pending operands. Use fewer parentheses",
				       UCORE_EXPR_STACK);
	expr->height++;
	return op_add(expr, op, err);
}

/* Add an operation that pops two values from the evaluation stack and pushes the result */
static int binary_add(struct parser *p, enum ucore_expr_kind kind)
{
	p->expr->height--;
	return op_add(p->expr, (struct ucore_expr_op) { .kind = kind }, p->err);
}

int ucore_expr_leaf(struct ucore_expr *expr, uint32_t leaf, struct ucore_error *err)
{
	return value_add(expr, (struct ucore_expr_op) { .kind = EXPR_LEAF, .leaf = leaf }, err);
}

void ucore_expr_free(struct ucore_expr *expr)
{
	free(expr->ops);
	*expr = (struct ucore_expr) { 0 };
}

/* ---- tokens of a formula ----------------------------------------------- */

static int parser_fail(const struct parser *p, const char *problem)
{
	if (!*p->at)
		return ucore_error_set(p->err, -EINVAL, "formula '%.160s': %s at the end", p->text,
				       problem);
	return ucore_error_set(p->err, -EINVAL, "formula '%.160s': %s at '%.40s' (character %zu)",
			       p->text, problem, p->at, (size_t)(p->at - p->text) + 1);
}

static void blanks_skip(struct parser *p)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
}

static bool char_accept(struct parser *p, char expected)
{
	blanks_skip(p);
	if (*p->at != expected)
		return false;
	p->at++;
	return true;
}

/* Read a decimal number with fraction and exponent, independent of the locale (unlike strtod) */
static double decimal_read(struct parser *p)
{
	double value = 0, power = 1;
	int scale = 0, exponent = 0, sign = 1;

	for (; isdigit((unsigned char)*p->at); p->at++)
		value = value * 10 + (*p->at - '0');
	if (*p->at == '.')
		for (p->at++; isdigit((unsigned char)*p->at); p->at++, scale--)
			value = value * 10 + (*p->at - '0');
	if ((*p->at == 'e' || *p->at == 'E') &&
	    isdigit((unsigned char)p->at[1 + (p->at[1] == '+' || p->at[1] == '-')])) {
		p->at++;
		if (*p->at == '+' || *p->at == '-')
			sign = *p->at++ == '-' ? -1 : 1;
		for (; isdigit((unsigned char)*p->at); p->at++)
			exponent = exponent < 1000 ? exponent * 10 + (*p->at - '0') : exponent;
	}
	scale += sign * exponent;
	for (int i = 0; i < abs(scale) && __builtin_isfinite(power); i++)
		power *= 10;
	return scale < 0 ? value / power : value * power;
}

static int number_parse(struct parser *p)
{
	struct ucore_expr_op op = { .kind = EXPR_NUMBER };
	const char *begin = p->at;

	if (!isdigit((unsigned char)begin[*begin == '.']))
		return parser_fail(p, "invalid number");
	op.number = decimal_read(p);
	if (!__builtin_isfinite(op.number) || strchr(NAME_CHARS, *p->at ? *p->at : ' ')) {
		p->at = begin;
		return parser_fail(p, "invalid number");
	}
	return value_add(p->expr, op, p->err);
}

/* Parse an event in braces, which can contain slashes and commas */
static int braces_parse(struct parser *p)
{
	size_t length = strcspn(p->at, "}");
	char name[UCORE_SPEC_LEN];

	if (!p->at[length])
		return parser_fail(p, "missing '}'");
	if (length >= sizeof(name))
		return parser_fail(p, "event too long");
	memcpy(name, p->at, length);
	name[length] = 0;
	p->at += length + 1;
	return p->names->compile(p->names, p->expr, name, false, p->err);
}

/* ---- grammar of formulas ----------------------------------------------- */

static int sum_parse(struct parser *p);

/* Parse the arguments of min() or max() up to the closing parenthesis */
static int extreme_parse(struct parser *p, enum ucore_expr_kind kind)
{
	int ret = sum_parse(p);

	while (!ret && char_accept(p, ',')) {
		ret = sum_parse(p);
		if (!ret)
			ret = binary_add(p, kind);
	}
	if (!ret && !char_accept(p, ')'))
		return parser_fail(p, "missing ')'");
	return ret;
}

static int name_parse(struct parser *p)
{
	size_t length = strspn(p->at, NAME_CHARS);
	char name[UCORE_SPEC_LEN];
	bool first;

	if (!length)
		return parser_fail(p, "missing number or name");
	if (length >= sizeof(name))
		return parser_fail(p, "name too long");
	memcpy(name, p->at, length);
	name[length] = 0;
	p->at += length;
	if (!strcmp(name, "min") && char_accept(p, '('))
		return extreme_parse(p, EXPR_MIN);
	if (!strcmp(name, "max") && char_accept(p, '('))
		return extreme_parse(p, EXPR_MAX);
	first = char_accept(p, '[');
	if (first && (!char_accept(p, '0') || !char_accept(p, ']')))
		return parser_fail(p, "invalid index (only [0] is possible)");
	return p->names->compile(p->names, p->expr, name, first, p->err);
}

static int factor_inside(struct parser *p)
{
	int ret;

	if (char_accept(p, '-')) {
		p->depth++;
		ret = p->depth > MAX_DEPTH ? parser_fail(p, "too many signs") : factor_inside(p);
		p->depth--;
		return ret ? ret : op_add(p->expr, (struct ucore_expr_op) { .kind = EXPR_NEG },
					  p->err);
	}
	if (char_accept(p, '(')) {
		ret = sum_parse(p);
		return !ret && !char_accept(p, ')') ? parser_fail(p, "missing ')'") : ret;
	}
	if (char_accept(p, '{'))
		return braces_parse(p);
	return isdigit((unsigned char)*p->at) || *p->at == '.' ? number_parse(p) : name_parse(p);
}

static int product_parse(struct parser *p)
{
	int ret = factor_inside(p);

	for (;;) {
		enum ucore_expr_kind kind;

		if (ret)
			return ret;
		if (char_accept(p, '*'))
			kind = EXPR_MUL;
		else if (char_accept(p, '/'))
			kind = EXPR_DIV;
		else
			return 0;
		ret = factor_inside(p);
		if (!ret)
			ret = binary_add(p, kind);
	}
}

static int sum_inside(struct parser *p)
{
	int ret = product_parse(p);

	for (;;) {
		enum ucore_expr_kind kind;

		if (ret)
			return ret;
		if (char_accept(p, '+'))
			kind = EXPR_ADD;
		else if (char_accept(p, '-'))
			kind = EXPR_SUB;
		else
			return 0;
		ret = product_parse(p);
		if (!ret)
			ret = binary_add(p, kind);
	}
}

/* Parse a sum, and limit the nesting depth, because all nested constructs contain a sum */
static int sum_parse(struct parser *p)
{
	int ret;

	if (++p->depth > MAX_DEPTH)
		return parser_fail(p, "too many parentheses");
	ret = sum_inside(p);
	p->depth--;
	return ret;
}

int ucore_expr_parse(struct ucore_expr *expr, const char *text, struct ucore_expr_names *names,
		     struct ucore_error *err)
{
	struct parser p = { .text = text, .at = text, .expr = expr, .names = names, .err = err };
	int ret = sum_parse(&p);

	if (ret)
		return ret;
	blanks_skip(&p);
	return *p.at ? parser_fail(&p, "missing operator") : 0;
}

/* ---- evaluation of a compiled formula ---------------------------------- */

static double binary_value(enum ucore_expr_kind kind, double a, double b)
{
	switch (kind) {
	case EXPR_ADD:
		return a + b;
	case EXPR_SUB:
		return a - b;
	case EXPR_MUL:
		return a * b;
	case EXPR_DIV:
		return b == 0 ? __builtin_nan("") : a / b;
	default:
		if (__builtin_isnan(a) || __builtin_isnan(b))
			return __builtin_nan("");
		return (a < b) == (kind == EXPR_MIN) ? a : b;
	}
}

double ucore_expr_value(const struct ucore_expr *expr, double (*leaf)(void *data, uint32_t leaf),
			void *data)
{
	double stack[UCORE_EXPR_STACK];
	size_t top = 0;

	for (size_t i = 0; i < expr->nr; i++) {
		const struct ucore_expr_op *op = &expr->ops[i];

		switch (op->kind) {
		case EXPR_NUMBER:
			stack[top++] = op->number;
			break;
		case EXPR_LEAF:
			stack[top++] = leaf(data, op->leaf);
			break;
		case EXPR_NEG:
			stack[top - 1] = -stack[top - 1];
			break;
		default:
			top--;
			stack[top - 1] = binary_value(op->kind, stack[top - 1], stack[top]);
			break;
		}
	}
	return top == 1 && __builtin_isfinite(stack[0]) ? stack[0] : __builtin_nan("");
}
