// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The terminal of `ucoretool top`. Its original state is saved, so that signal handlers can restore
 * it when the program crashes. event_loop.c handles the signals that end the program normally.
 */
#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "top/terminal.h"
#include "tool.h"

#define ESCAPE_MS	25	/* time to wait for the rest of an escape sequence (ms) */

/* Saved state of the terminal, global because signal handlers have no argument */
static struct {
	bool open;
	struct termios termios;
	char text[256];		/* escape sequences that end curses mode */
	size_t length;
} saved;

/* ---- crashes ----------------------------------------------------------- */

static const int crashes[] = {
	SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT, SIGSYS, SIGTRAP,
};

/*
 * Restore the terminal with async-signal-safe calls, then raise the signal again with its
 * default action
 */
static void crash(int number)
{
	ssize_t ignored = write(STDOUT_FILENO, saved.text, saved.length);

	(void)ignored;
	tcsetattr(STDOUT_FILENO, TCSANOW, &saved.termios);
	raise(number);
}

/* Append a capability string of the terminal, without its padding delays */
static void text_add(const char *capability)
{
	const char *text = tigetstr(capability);

	if (!text || text == (char *)-1)
		return;
	while (*text && saved.length < sizeof(saved.text)) {
		if (text[0] == '$' && text[1] == '<' && strchr(text, '>'))
			text = strchr(text, '>') + 1;
		else
			saved.text[saved.length++] = *text++;
	}
}

static void crashes_catch(void)
{
	static const char *const capabilities[] = { "sgr0", "op", "rmkx", "cnorm", "rmcup" };
	struct sigaction action = { .sa_handler = crash, .sa_flags = SA_RESETHAND | SA_NODEFER };

	saved.length = 0;
	for (size_t i = 0; i < ARRAY_SIZE(capabilities); i++)
		text_add(capabilities[i]);
	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
		sigaction(crashes[i], &action, NULL);
}

static void crashes_release(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
		signal(crashes[i], SIG_DFL);
}

/* ---- open and close ---------------------------------------------------- */

static void colors_make(void)
{
	if (getenv("NO_COLOR") || !has_colors() || start_color() == ERR)
		return;
	use_default_colors();
	init_pair(PAIR_FIRST, COLOR_GREEN, -1);
	init_pair(PAIR_SECOND, COLOR_YELLOW, -1);
	init_pair(PAIR_HISTORY, COLOR_CYAN, -1);
	init_pair(PAIR_HEADING, COLOR_BLACK, COLOR_GREEN);
	init_pair(PAIR_KEYS, COLOR_BLACK, COLOR_CYAN);
	init_pair(PAIR_ALERT, COLOR_RED, -1);
}

bool screen_open(void)
{
	SCREEN *screen;

	/* Set only LC_CTYPE (UTF-8), because numbers are always printed in the C locale */
	setlocale(LC_CTYPE, "");
	if (tcgetattr(STDOUT_FILENO, &saved.termios))
		return false;
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return false;
	/* Reject a terminal that cannot move its cursor */
	if (!tigetstr("cup") || tigetstr("cup") == (char *)-1) {
		endwin();
		delscreen(screen);
		return false;
	}
	saved.open = true;
	crashes_catch();
	set_escdelay(ESCAPE_MS);
	cbreak();
	noecho();
	nonl();
	nodelay(stdscr, TRUE);
	keypad(stdscr, TRUE);
	curs_set(0);
	colors_make();
	return true;
}

void screen_close(void)
{
	if (!saved.open)
		return;
	saved.open = false;
	endwin();
	crashes_release();
}

void screen_resize(void)
{
	struct winsize size;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
	clearok(curscr, TRUE);
}

unsigned long screen_attr(enum screen_pair pair)
{
	static const unsigned long plain[NR_PAIRS] = {
		[PAIR_HEADING] = A_REVERSE, [PAIR_KEYS] = A_REVERSE, [PAIR_ALERT] = A_BOLD,
	};
	short front, back;

	/* Use reverse or bold text if curses has no colours (it reports two equal colours) */
	if (pair_content((short)pair, &front, &back) == ERR || front == back)
		return plain[pair];
	return COLOR_PAIR((int)pair) | (pair == PAIR_ALERT ? A_BOLD : 0);
}

bool screen_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}
