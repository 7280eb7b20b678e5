// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Completion of command lines.  Commands and options come from their tables.  Events, metrics
 * and platforms come from the machine and the library.  The shell scripts call the hidden
 * command __complete, so that they contain no names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli.h"
#include "complete.h"
#include "export/families.h"

/* State of one completion; @word is the word on the command line, and @rest its part to complete */
struct completing {
	struct tool *tool;
	const struct command *command;
	const char *word;
	const char *rest;
	unsigned int operands;		/* number of operands before @word */
	const char *operand;		/* first operand before @word, or NULL */
	struct ucore_device *dev;
};

/* Print the completion @text, followed by @end, if @text starts with the typed part */
static void offer(const struct completing *c, const char *text, const char *end)
{
	if (!strncasecmp(text, c->rest, strlen(c->rest)))
		printf("%.*s%s%s\n", (int)(c->rest - c->word), c->word, text, end);
}

static void offer_all(const struct completing *c, const char *const *words)
{
	for (; *words; words++)
		offer(c, *words, "");
}

/* ---- completion of events ---------------------------------------------- */

static bool is_first_of_type(const struct ucore_box_info *boxes, size_t box)
{
	for (size_t i = 0; i < box; i++)
		if (!strcmp(boxes[i].type, boxes[box].type))
			return false;
	return true;
}

/* Offer box types ("imc"), and boxes ("imc0") if the word is longer than the type */
static void boxes_offer(const struct completing *c, const char *end)
{
	const struct ucore_box_info *boxes;
	char name[UCORE_NAME_LEN + 12];
	size_t nr;

	boxes = ucore_device_boxes(c->dev, &nr);
	for (size_t i = 0; i < nr; i++) {
		size_t length = strlen(boxes[i].type);

		if (boxes[i].flags & UCORE_BOX_F_ABSENT)
			continue;
		if (is_first_of_type(boxes, i))
			offer(c, boxes[i].type, end);
		snprintf(name, sizeof(name), "%s%u", boxes[i].type, boxes[i].instance);
		/* offer a box name once, for the first domain only */
		if (boxes[i].domain == boxes[0].domain && strlen(c->rest) > length)
			offer(c, name, end);
	}
}

/* Offer the short event names of box type @type, or all full names if @type is NULL */
static void names_offer(const struct completing *c, const char *type, const char *end)
{
	struct ucore_event_desc desc;

	for (size_t p = 0; p < UCORE_DEVICE_PLATFORMS; p++) {
		const struct ucore_platform *platform = ucore_device_platform(c->dev, p);

		for (size_t i = 0; i < ucore_platform_nr_events(platform); i++) {
			ucore_platform_event_at(platform, i, &desc);
			if (!type)
				offer(c, desc.name, end);
			else if (!strcmp(desc.unit->type, type))
				offer(c, ucore_event_desc_short(&desc), end);
		}
	}
}

/* Find a box with the longest type name that is a prefix of the @length characters at @head */
static const struct ucore_box_info *head_box(const struct completing *c, const char *head,
					     size_t length)
{
	const struct ucore_box_info *boxes, *best = NULL;
	size_t nr;

	boxes = ucore_device_boxes(c->dev, &nr);
	for (size_t i = 0; i < nr; i++) {
		size_t type = strlen(boxes[i].type);

		if (type && type <= length && !strncasecmp(boxes[i].type, head, type) &&
		    (!best || type > strlen(best->type)))
			best = &boxes[i];
	}
	return best;
}

static void fields_offer(const struct completing *c, const struct ucore_box_info *box)
{
	static const char *const own[] = {
		"die=", "cpu=", "period=", "counter=", "fixed=", "name=", NULL,
	};
	const struct ucore_field_info *fields;
	size_t nr;

	if (!ucore_device_fields(c->dev, box->box, &fields, &nr, NULL))
		for (size_t i = 0; i < nr; i++)
			offer(c, fields[i].name, "=");
	offer_all(c, own);
}

/* Return the start of the last event in a list: after the last comma outside of slashes */
static const char *event_begin(const char *word)
{
	const char *begin = word;
	bool inside = false;

	for (; *word; word++) {
		if (*word == '/')
			inside = !inside;
		else if (*word == ',' && !inside)
			begin = word + 1;
	}
	return begin;
}

static void events_complete(struct completing *c)
{
	const char *head = event_begin(c->rest), *slash = strchr(head, '/'), *comma;
	const struct ucore_box_info *box;

	c->rest = head;
	if (!slash) {
		boxes_offer(c, "/");
		/* offer full names only after the prefix UNC_, because there are thousands */
		if (strlen(head) >= 4 && !strncasecmp(head, "UNC_", 4))
			names_offer(c, NULL, "");
		return;
	}
	box = head_box(c, head, (size_t)(slash - head));
	if (strchr(slash + 1, '/') || !box)
		return;
	comma = strrchr(slash, ',');
	c->rest = (comma ? comma : slash) + 1;
	if (!comma)
		names_offer(c, box->type, "/");
	fields_offer(c, box);
}

/* ---- completion of metrics, collectors and platforms ------------------- */

/* Offer the categories of the platform's metrics ("@memory"), each once */
static void categories_offer(const struct completing *c, const char *platform)
{
	struct ucore_metric_desc desc;
	char seen[512] = " ", word[40], rest[64];

	for (size_t i = 0; ucore_metric_at(platform, i, &desc); i++) {
		snprintf(rest, sizeof(rest), "%s", desc.category);
		for (char *at = rest, *one; (one = strsep(&at, " "));) {
			snprintf(word, sizeof(word), " %s ", one);
			if (strstr(seen, word) || strlen(seen) + strlen(word) >= sizeof(seen))
				continue;
			strcat(seen, word + 1);
			snprintf(word, sizeof(word), "@%s", one);
			offer(c, word, "");
		}
	}
}

static void metrics_complete(struct completing *c)
{
	const char *platform = ucore_device_info(c->dev)->platform;
	struct ucore_metric_desc desc;
	const char *comma;

	/* a definition NAME=FORMULA has no completions */
	if (strchr(c->rest, '='))
		return;
	comma = strrchr(c->rest, ',');
	c->rest = comma ? comma + 1 : c->rest;
	for (size_t i = 0; ucore_metric_at(platform, i, &desc); i++)
		if (!*desc.omitted)
			offer(c, desc.name, "");
	categories_offer(c, platform);
}

static void collectors_complete(struct completing *c)
{
	const char *comma = strrchr(c->rest, ',');

	c->rest = comma ? comma + 1 : c->rest;
	for (size_t i = 0; i < NR_COLLECTORS; i++)
		offer(c, collectors[i], "");
	if (!comma)
		offer(c, "none", "");
}

static void platforms_complete(struct completing *c)
{
	const struct ucore_platform *platform;

	for (size_t i = 0; (platform = ucore_platform_at(i)); i++)
		offer(c, ucore_platform_name(platform), "");
}

/* ---- options and operands ---------------------------------------------- */

/* Call @complete with the open device; offer nothing if the device cannot be opened */
static void with_device(struct completing *c, void (*complete)(struct completing *c))
{
	if (ucore_device_open(c->tool->device, c->tool->sys, &c->dev, NULL))
		return;
	complete(c);
	ucore_device_close(c->dev);
}

static void value_complete(struct completing *c, const struct option_desc *option)
{
	static const char *const files[] = { "FILE", "NODE", "DIR" };

	if (option->name && !strcmp(option->name, "event"))
		with_device(c, events_complete);
	else if (option->name && (!strcmp(option->name, "metric") ||
				  !strcmp(option->name, "when")))
		with_device(c, metrics_complete);
	else if (option->name && !strcmp(option->name, "collect"))
		collectors_complete(c);
	else if (option->name && !strcmp(option->name, "platform"))
		platforms_complete(c);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (!strcmp(option->arg, files[i]))
			puts(":files");
}

static void options_complete(const struct completing *c)
{
	const struct option_desc *option;
	char text[48];

	for (size_t i = 0; (option = cli_option(c->command, i)); i++) {
		snprintf(text, sizeof(text), "-%c", option->letter);
		if (option->letter < OPT_NO_LETTER && c->word[1] != '-')
			offer(c, text, "");
		snprintf(text, sizeof(text), "--%s", option->name ? option->name : "");
		if (option->name)
			offer(c, text, "");
	}
}

static void boxes_complete(struct completing *c)
{
	boxes_offer(c, "");
}

/* Offer the alternatives that the command's operand synopsis lists: "[boxes|events]" */
static void choices_offer(const struct completing *c)
{
	char text[80], *at = text, *word;

	snprintf(text, sizeof(text), "%s", c->command->operands);
	text[strcspn(text, "]")] = '\0';
	for (at++; (word = strsep(&at, "|"));)
		offer(c, word, "");
}

static void list_complete(struct completing *c)
{
	if (!c->operands)
		choices_offer(c);
	else if (!strcmp(c->operand, "events"))
		with_device(c, events_complete);
	else if (!strcmp(c->operand, "metrics"))
		with_device(c, metrics_complete);
	else
		with_device(c, boxes_complete);
}

static void operand_complete(struct completing *c)
{
	if (c->command->runs_command)
		puts(c->operands ? ":files" : ":programs");
	else if (c->command == &command_list)
		list_complete(c);
	else if (c->command == &command_top)
		choices_offer(c);
}

static bool is_called(const struct option_desc *option, const char *name, size_t length)
{
	return option->name && strlen(option->name) == length &&
	       !strncmp(option->name, name, length);
}

/* Find the option that @word names; set @value_follows if the next word is the option's value */
static const struct option_desc *option_find(const struct command *command, const char *word,
					     bool *value_follows)
{
	const struct option_desc *option;
	size_t length = strcspn(word, "=");

	*value_follows = false;
	for (size_t i = 0; (option = cli_option(command, i)); i++) {
		bool is_long = !strncmp(word, "--", 2);

		if (is_long ? !is_called(option, word + 2, length - 2) :
			      option->letter != (unsigned char)word[1])
			continue;
		*value_follows = option->arg && (is_long ? !word[length] : !word[2]);
		return option;
	}
	return NULL;
}

/*
 * Parse the words between the command and the word to complete.  Returns the option whose value
 * is to be completed, or NULL.
 */
static const struct option_desc *words_walk(struct completing *c, int argc, char **argv)
{
	const struct option_desc *pending = NULL, *option;
	bool value_follows, only_operands = false;

	for (int i = 1; i < argc - 1; i++) {
		if (pending) {
			pending = NULL;
		} else if (!only_operands && !strcmp(argv[i], "--")) {
			only_operands = true;
		} else if (!only_operands && argv[i][0] == '-' && argv[i][1]) {
			option = option_find(c->command, argv[i], &value_follows);
			pending = option && value_follows ? option : NULL;
		} else {
			c->operand = c->operands++ ? c->operand : argv[i];
			/* the words after a program's name are arguments of the program */
			only_operands |= c->command->runs_command;
		}
	}
	return only_operands ? NULL : pending;
}

static bool options_ended(const struct completing *c, int argc, char **argv)
{
	if (c->command->runs_command && c->operands)
		return true;
	for (int i = 1; i < argc - 1; i++)
		if (!strcmp(argv[i], "--"))
			return true;
	return false;
}

static void argument_complete(struct completing *c, int argc, char **argv)
{
	const struct option_desc *option = words_walk(c, argc, argv);
	bool follows;

	if (option) {
		value_complete(c, option);
	} else if (*c->word == '-' && !options_ended(c, argc, argv)) {
		const char *equals = strchr(c->word, '=');

		option = equals ? option_find(c->command, c->word, &follows) : NULL;
		if (option && option->arg) {
			c->rest = equals + 1;
			value_complete(c, option);
		} else {
			options_complete(c);
		}
	} else {
		operand_complete(c);
	}
}

void complete_words(struct tool *tool, const struct command *const *commands, size_t nr,
		    int argc, char **argv)
{
	static const char *const others[] = { "help", "--help", "--version", NULL };
	struct completing c = { .tool = tool };

	if (argc < 1)
		return;
	c.word = argv[argc - 1];
	c.rest = c.word;
	if (argc == 1)
		offer_all(&c, others);
	if (argc == 1 || (argc == 2 && !strcmp(argv[0], "help"))) {
		for (size_t i = 0; i < nr; i++)
			offer(&c, commands[i]->name, "");
		return;
	}
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(commands[i]->name, argv[0]))
			c.command = commands[i];
	if (c.command)
		argument_complete(&c, argc, argv);
}
