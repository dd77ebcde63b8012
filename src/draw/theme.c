/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Themes: text to styles, and styles to what a terminal of few colours has. */
#include "evtop/draw.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const colour_names[16] = {
	"black",	"red",		 "green",	"yellow",	  "blue",
	"magenta",	"cyan",		 "white",	"bright-black",	  "bright-red",
	"bright-green", "bright-yellow", "bright-blue", "bright-magenta", "bright-cyan",
	"bright-white"};

static const struct {
	const char *name;
	uint8_t bit;
} attribute_names[] = {{"bold", STYLE_BOLD},
		       {"dim", STYLE_DIM},
		       {"underline", STYLE_UNDERLINE},
		       {"reverse", STYLE_REVERSE},
		       {"italic", STYLE_ITALIC}};

void theme_mono(struct theme *theme)
{
	static const struct {
		enum role role;
		uint8_t attributes;
	} styles[] = {{ROLE_STRONG, STYLE_BOLD},
		      {ROLE_TITLE, STYLE_BOLD},
		      {ROLE_FOCUS, STYLE_BOLD | STYLE_UNDERLINE},
		      {ROLE_HEADING, STYLE_DIM},
		      {ROLE_SORTED, STYLE_BOLD},
		      {ROLE_SELECTION, STYLE_REVERSE},
		      {ROLE_SELECTION_IDLE, STYLE_BOLD},
		      {ROLE_KEY, STYLE_BOLD},
		      {ROLE_WARNING, STYLE_BOLD},
		      {ROLE_BAD, STYLE_REVERSE},
		      {ROLE_A, STYLE_BOLD},
		      {ROLE_DIM, STYLE_DIM},
		      {ROLE_RULE, STYLE_DIM},
		      {ROLE_AXIS, STYLE_DIM},
		      {ROLE_PENDING, STYLE_DIM},
		      {ROLE_MARK, STYLE_BOLD},
		      {ROLE_MATCH, STYLE_UNDERLINE},
		      {ROLE_INPUT, STYLE_BOLD}};

	*theme = (struct theme){.name = "mono"};
	for (int i = 0; i < ROLE_COUNT; i++)
		theme->styles[i] = (struct style){COLOUR_DEFAULT, COLOUR_DEFAULT, COLOUR_DEFAULT,
						  COLOUR_DEFAULT, 0};
	for (size_t i = 0; i < COUNT_OF(styles); i++)
		theme->styles[styles[i].role].attributes = styles[i].attributes;
}

static int named_colour(const char *word)
{
	for (int i = 0; i < 16; i++)
		if (!strcmp(word, colour_names[i]))
			return i;
	return !strcmp(word, "default") ? COLOUR_DEFAULT : -2;
}

/* The nearest of 16 for one of the 256 where the file names none. */
static int16_t to_basic(int colour)
{
	int r, g, b, most;

	if (colour < 16)
		return (int16_t)colour;
	if (colour >= 232)
		return colour < 238 ? 0 : colour < 244 ? 8 : colour < 250 ? 7 : 15;
	colour -= 16;
	r = colour / 36, g = colour / 6 % 6, b = colour % 6;
	most = r > g ? (r > b ? r : b) : (g > b ? g : b);
	if (!most)
		return 0;
	return (int16_t)((2 * r > most) | (2 * g > most) << 1 | (2 * b > most) << 2 |
			 (most > 3) << 3);
}

/* NUMBER, NAME or NUMBER/NAME */
static int parse_colour(const char *word, int16_t *full, int16_t *basic)
{
	char *end;
	int named = named_colour(word);
	long number;

	if (named != -2) {
		*full = *basic = (int16_t)named;
		return 0;
	}
	if (!isdigit((unsigned char)*word))
		return -1;
	number = strtol(word, &end, 10);
	if (number > 255 || (*end && *end != '/'))
		return -1;
	*full = (int16_t)number;
	*basic = to_basic((int)number);
	if (*end != '/')
		return 0;
	named = named_colour(end + 1);
	*basic = (int16_t)named;
	return named == -2 ? -1 : 0;
}

static int find_role(const char *name)
{
	for (int i = 0; i < ROLE_COUNT; i++)
		if (!strcmp(name, role_infos[i].name))
			return i;
	return -1;
}

static int parse_attributes(char *rest, uint8_t *attributes, struct error *err)
{
	char *save = NULL;

	for (char *word = strtok_r(rest, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
		size_t i = 0;

		while (i < COUNT_OF(attribute_names) && strcmp(word, attribute_names[i].name))
			i++;
		if (i == COUNT_OF(attribute_names))
			return error_set(err,
					 "'%.40s' is no attribute (bold, dim, underline, reverse, "
					 "italic)",
					 word);
		*attributes |= attribute_names[i].bit;
	}
	return 0;
}

/* One line without its comment; blank ones say nothing. */
static int parse_line(struct theme *theme, char *line, struct error *err)
{
	struct style style = {COLOUR_DEFAULT, COLOUR_DEFAULT, COLOUR_DEFAULT, COLOUR_DEFAULT, 0};
	char *save = NULL, *name = strtok_r(line, " \t", &save), *word;
	int role;

	if (!name)
		return 0;
	word = strtok_r(NULL, " \t", &save);
	if (!word || strcmp(word, "="))
		return error_set(err, "expected 'role = foreground background attributes'");
	role = find_role(name);
	if (role < 0)
		return error_set(err, "'%.40s' is no role", name);
	for (int i = 0; i < 2; i++) {
		word = strtok_r(NULL, " \t", &save);
		if (!word && i == 0)
			return error_set(err, "'%.40s' has no foreground", name);
		if (!word)
			break;
		if (parse_colour(word, i ? &style.bg : &style.fg,
				 i ? &style.bg_basic : &style.fg_basic))
			return error_set(err,
					 "'%.40s' is no colour (default, a name such as "
					 "bright-red, 0..255, 208/yellow)",
					 word);
	}
	if (save && parse_attributes(save, &style.attributes, err))
		return -1;
	theme->styles[role] = style;
	return 0;
}

int theme_parse(struct theme *theme, const char *name, const char *file, const char *content,
		struct error *err)
{
	char *copy = mem_copy_text(content), *next = copy, *line;
	int number = 0, failed = 0;
	struct error inner;

	theme_mono(theme);
	snprintf(theme->name, sizeof theme->name, "%s", name);
	while (!failed && (line = strsep(&next, "\n"))) {
		char *comment = strchr(line, '#');

		number++;
		if (comment)
			*comment = '\0';
		line[strcspn(line, "\r")] = '\0';
		if (parse_line(theme, line, &inner))
			failed = error_set(err, "%s:%d: %s", file, number, inner.text);
	}
	free(copy);
	return failed;
}

/* Eight colours know no bright ones: bold stands for them. */
static int16_t few(int16_t colour, int colours, uint8_t *attributes)
{
	if (colours >= 16 || colour < 8)
		return colour;
	*attributes |= STYLE_BOLD;
	return colour - 8;
}

/* Where colours alone tell a role apart, mono's attributes do so without them. */
static uint8_t without_colours(const struct style *style, enum role role)
{
	struct theme mono;

	if (style->attributes & (STYLE_REVERSE | STYLE_UNDERLINE) ||
	    (style->fg == COLOUR_DEFAULT && style->bg == COLOUR_DEFAULT))
		return style->attributes;
	theme_mono(&mono);
	return mono.styles[role].attributes;
}

struct style theme_style(const struct theme *theme, enum role role, enum role over, int colours)
{
	struct style out = theme->styles[role], above = theme->styles[over];
	uint8_t ignored = 0;

	if (colours < 8) {
		out.attributes = without_colours(&out, role);
		above.attributes = without_colours(&above, over);
	}

	if (over != ROLE_TEXT) {
		if (above.bg != COLOUR_DEFAULT)
			out.bg = above.bg, out.bg_basic = above.bg_basic;
		if (above.fg != COLOUR_DEFAULT)
			out.fg = above.fg, out.fg_basic = above.fg_basic;
		/* reversed twice would be plain again */
		out.attributes |= above.attributes;
	}
	if (colours < 8) {
		out.fg = out.bg = out.fg_basic = out.bg_basic = COLOUR_DEFAULT;
		return out;
	}
	out.fg_basic = few(out.fg_basic, colours, &out.attributes);
	out.bg_basic = few(out.bg_basic, colours, &ignored);
	if (colours < 256)
		out.fg = out.fg_basic, out.bg = out.bg_basic;
	return out;
}
