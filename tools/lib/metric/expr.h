/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Formulas of metrics, compiled once and evaluated for each interval.
 */
#ifndef UCORE_EXPR_H
#define UCORE_EXPR_H

#include "internal.h"

/* Limits of a compiled formula: values on the evaluation stack, and number of operations */
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
	uint32_t leaf;		/* EXPR_LEAF: number of a value that the caller supplies */
	double number;
};

/**
 * struct ucore_expr - compiled formula in postfix notation
 * @ops: the operations
 * @nr: number of elements of @ops
 * @capacity: allocated elements of @ops
 * @height: number of values on the evaluation stack after all operations
 */
struct ucore_expr {
	struct ucore_expr_op *ops;
	size_t nr;
	size_t capacity;
	unsigned int height;
};

/**
 * struct ucore_expr_names - the caller's compiler for the names in a formula
 * @compile: function that compiles a name or an event in braces.  It calls ucore_expr_leaf(),
 *           or ucore_expr_parse() with another formula.  @first is true if "[0]" follows the name
 * @data: the caller's data for @compile
 * @depth: number of formulas that enclose the current formula
 */
struct ucore_expr_names {
	int (*compile)(struct ucore_expr_names *names, struct ucore_expr *expr, const char *name,
		       bool first, struct ucore_error *err);
	void *data;
	unsigned int depth;
};

/**
 * ucore_expr_parse() - compile a formula and append it to @expr
 *
 *	expr   = term { ("+" | "-") term }
 *	term   = factor { ("*" | "/") factor }
 *	factor = number | "-" factor | "(" expr ")" | ("min" | "max") "(" expr { "," expr } ")"
 *	       | name [ "[0]" ] | "{" event "}"
 *
 * The compiled formula pushes one value.  After a failure the only valid operation on @expr
 * is ucore_expr_free().
 *
 * Errors: -EINVAL (syntax), -ENOMEM, and those of @names->compile().
 */
int ucore_expr_parse(struct ucore_expr *expr, const char *text, struct ucore_expr_names *names,
		     struct ucore_error *err);

/** ucore_expr_leaf() - add an operation that pushes leaf (value of the caller) number @leaf */
int ucore_expr_leaf(struct ucore_expr *expr, uint32_t leaf, struct ucore_error *err);

/**
 * ucore_expr_value() - evaluate a compiled formula
 * @leaf: function that returns the value with the number that ucore_expr_leaf() received
 * @data: the caller's data for @leaf
 *
 * Return: the value, or NaN after a division by zero, an overflow, or a leaf without a value.
 */
double ucore_expr_value(const struct ucore_expr *expr, double (*leaf)(void *data, uint32_t leaf),
			void *data);

/** ucore_expr_free() - free the operations of a compiled formula and make the formula empty */
void ucore_expr_free(struct ucore_expr *expr);

#endif /* UCORE_EXPR_H */
