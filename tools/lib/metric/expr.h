/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Formulas of metrics: compiled once, then evaluated as often as there are counts.
 */
#ifndef UCORE_EXPR_H
#define UCORE_EXPR_H

#include "internal.h"

/* Values that wait for their operator, and operations in all: no formula needs more */
#define UCORE_EXPR_STACK	64
#define UCORE_EXPR_OPS		4096

enum ucore_expr_kind {
	EXPR_NUMBER,
	EXPR_LEAF,
	EXPR_ADD,
	EXPR_SUB,
	EXPR_MUL,
	EXPR_DIV,
	EXPR_NEG,
	EXPR_MIN,
	EXPR_MAX,
};

struct ucore_expr_op {
	enum ucore_expr_kind kind;
	uint32_t leaf;		/* of EXPR_LEAF: what the caller calls it */
	double number;
};

/**
 * struct ucore_expr - a compiled formula, operands before their operator
 * @ops: the operations
 * @nr: how many there are
 * @room: how many there is memory for
 * @height: values that are left on the stack by all of them
 */
struct ucore_expr {
	struct ucore_expr_op *ops;
	size_t nr;
	size_t room;
	unsigned int height;
};

/**
 * struct ucore_expr_names - what the names of a formula mean
 * @compile: compiles a name, or what stands between braces: ucore_expr_leaf(), or
 *           ucore_expr_parse() of another formula.  @first: "[0]" follows the name
 * @data: for @compile
 * @depth: formulas around this one
 */
struct ucore_expr_names {
	int (*compile)(struct ucore_expr_names *names, struct ucore_expr *expr, const char *name,
		       bool first, struct ucore_error *err);
	void *data;
	unsigned int depth;
};

/**
 * ucore_expr_parse() - compile a formula behind what @expr has already
 *
 *	expr   = term { ("+" | "-") term }
 *	term   = factor { ("*" | "/") factor }
 *	factor = number | "-" factor | "(" expr ")" | ("min" | "max") "(" expr { "," expr } ")"
 *	       | name [ "[0]" ] | "{" event "}"
 *
 * One value is left on the stack.  A failure leaves @expr fit for nothing but
 * ucore_expr_free().
 *
 * Errors: -EINVAL (explained), -ENOMEM, and those of @names->compile().
 */
int ucore_expr_parse(struct ucore_expr *expr, const char *text, struct ucore_expr_names *names,
		     struct ucore_error *err);

/** ucore_expr_leaf() - compile a value that is asked for at each evaluation */
int ucore_expr_leaf(struct ucore_expr *expr, uint32_t leaf, struct ucore_error *err);

/**
 * ucore_expr_value() - evaluate
 * @leaf: gives the value of a leaf
 *
 * Return: the value, or NaN if there is none: something is divided by zero, too
 * large, or a leaf has no value.
 */
double ucore_expr_value(const struct ucore_expr *expr, double (*leaf)(void *data, uint32_t leaf),
			void *data);

/** ucore_expr_free() - give the memory back; the expression is empty then */
void ucore_expr_free(struct ucore_expr *expr);

#endif /* UCORE_EXPR_H */
