/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The terminal in curses mode, and its restoration at exit and after a crash.
 */
#ifndef UCORETOOL_TOP_TERMINAL_H
#define UCORETOOL_TOP_TERMINAL_H

#include <stdbool.h>

/* Pairs of foreground and background colour; without colours the terminal's default is used */
enum screen_pair {
	PAIR_PLAIN,
	PAIR_FIRST,		/* first part of a bar */
	PAIR_SECOND,		/* second part of a bar */
	PAIR_HISTORY,
	PAIR_HEADING,
	PAIR_KEYS,
	PAIR_ALERT,
	NR_PAIRS,
};

/**
 * screen_open() - switch the terminal to curses mode
 *
 * Return: false if curses does not know $TERM, or the terminal cannot move its cursor.
 */
bool screen_open(void);

/** screen_close() - restore the terminal; a second call does nothing */
void screen_close(void);

/** screen_resize() - set the size of the curses screen to the new size of the terminal */
void screen_resize(void);

/** screen_attr() - return the curses attribute for a pair of colours */
unsigned long screen_attr(enum screen_pair pair);

/** screen_utf8() - return true if the terminal can show UTF-8 block characters */
bool screen_utf8(void);

#endif /* UCORETOOL_TOP_TERMINAL_H */
