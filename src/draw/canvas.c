/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The grid of cells, and what a glyph becomes where it cannot be shown. */
#include "draw-internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What stands for a glyph in ASCII. */
static const struct {
	uint32_t glyph;
	char ascii;
} ascii_forms[] = {
	{0xb5, 'u'},	{0xb7, '.'},   {0xd7, 'x'},   {0x2013, '-'}, {0x2014, '-'}, {0x2018, '\''},
	{0x2019, '\''}, {0x201c, '"'}, {0x201d, '"'}, {0x2022, 'o'}, {0x2026, '~'}, {0x2190, '<'},
	{0x2191, '^'},	{0x2192, '>'}, {0x2193, 'v'}, {0x221e, '~'}, {0x2248, '~'}, {0x2264, '<'},
	{0x2265, '>'},	{0x2500, '-'}, {0x2502, '|'}, {0x2504, '-'}, {0x250a, ':'}, {0x250c, '+'},
	{0x2510, '+'},	{0x2514, '`'}, {0x2518, '+'}, {0x251c, '|'}, {0x2524, '+'}, {0x252c, '+'},
	{0x2534, '+'},	{0x253c, '+'}, {0x254c, '-'}, {0x254e, ':'}, {0x2595, '|'}, {0x258f, '|'},
	{0x25b8, '>'},	{0x25be, 'v'}, {0x25b2, '^'}, {0x25bc, 'v'}, {0x25cf, 'o'}, {0x25cb, 'o'},
	{0x2605, '*'},	{0x2588, '#'}, {0xbb, '>'},   {0x2713, '+'}, {0x2591, '.'}, {0x2592, '='},
};

/* Series in plots of characters: the glyph says which one it is. */
static uint32_t to_ascii(uint32_t glyph)
{
	for (size_t i = 0; i < COUNT_OF(ascii_forms); i++)
		if (ascii_forms[i].glyph == glyph)
			return (unsigned char)ascii_forms[i].ascii;
	/* eighths of blocks, rising: the lower half is empty to the eye */
	if (glyph >= 0x2581 && glyph <= 0x2588)
		return (unsigned char)"..:::###"[glyph - 0x2581];
	/* eighths, from the left */
	if (glyph >= 0x2589 && glyph <= 0x258f)
		return glyph <= 0x258c ? '#' : '|';
	return '?';
}

/*
 * One column wide in every terminal? Ideographs, emoji and combining marks of
 * names in a trace would shift the rest of their row.
 */
static bool is_narrow(uint32_t glyph)
{
	if (glyph < 0x300)
		return glyph >= 0xa0 && glyph != 0xad;
	return (glyph >= 0x370 && glyph < 0x483) || (glyph >= 0x48a && glyph < 0x530) ||
	       (glyph >= 0x2010 && glyph < 0x2028) || (glyph >= 0x2030 && glyph < 0x205f) ||
	       (glyph >= 0x2190 && glyph < 0x231a) || (glyph >= 0x2500 && glyph < 0x25fd) ||
	       glyph == 0x2605 || glyph == 0x2713 || (glyph >= 0x2800 && glyph < 0x2900);
}

enum glyphs glyphs_choose(enum glyphs_choice choice, const char *codeset, const char *term)
{
	switch (choice) {
	case GLYPHS_FORCE_ASCII:
		return GLYPHS_ASCII;
	case GLYPHS_FORCE_BLOCK:
		return GLYPHS_BLOCK;
	case GLYPHS_FORCE_BRAILLE:
		return GLYPHS_BRAILLE;
	case GLYPHS_AUTO:
		break;
	}
	if (!codeset || (strcasecmp(codeset, "UTF-8") && strcasecmp(codeset, "UTF8")))
		return GLYPHS_ASCII;
	/* a real VT100 and its kin show bytes, whatever the locale says */
	if (term && !strncmp(term, "vt", 2))
		return GLYPHS_ASCII;
	return term && !strncmp(term, "linux", 5) ? GLYPHS_BLOCK : GLYPHS_BRAILLE;
}

void canvas_init(struct canvas *canvas, int width, int height, enum glyphs glyphs)
{
	*canvas = (struct canvas){.width = width, .height = height, .glyphs = glyphs};
	canvas->cells = mem_zero((size_t)width * height, sizeof *canvas->cells);
	canvas_clear(canvas);
}

void canvas_release(struct canvas *canvas)
{
	free(canvas->cells);
	*canvas = (struct canvas){0};
}

void canvas_clear(struct canvas *canvas)
{
	size_t n = (size_t)canvas->width * canvas->height;

	for (size_t i = 0; i < n; i++)
		canvas->cells[i] = (struct canvas_cell){.glyph = ' '};
}

void canvas_put(struct canvas *canvas, int x, int y, uint32_t glyph, enum role role)
{
	struct canvas_cell *cell;

	if (x < 0 || y < 0 || x >= canvas->width || y >= canvas->height)
		return;
	if (glyph < 0x20 || glyph == 0x7f)
		glyph = '?';
	else if (glyph >= 0x80)
		glyph = canvas->glyphs == GLYPHS_ASCII ? to_ascii(glyph)
			: is_narrow(glyph)	       ? glyph
						       : '?';
	cell = &canvas->cells[(size_t)y * canvas->width + x];
	cell->glyph = glyph;
	cell->role = role;
}

int text_columns(const char *utf8)
{
	int n = 0;

	for (; *utf8; utf8++)
		n += ((unsigned char)*utf8 & 0xc0) != 0x80;
	return n;
}

#define PLUS_MINUS 0xb1

int canvas_columns(const struct canvas *canvas, const char *utf8)
{
	int n = text_columns(utf8);

	while (canvas->glyphs == GLYPHS_ASCII && (utf8 = strstr(utf8, "\u00b1"))) {
		n++;
		utf8 += strlen("\u00b1");
	}
	return n;
}

int canvas_puts(struct canvas *canvas, int x, int y, int width, enum role role, const char *utf8)
{
	int used = 0;
	bool cut;

	if (width <= 0)
		return 0;
	cut = canvas_columns(canvas, utf8) > width;
	while (*utf8 && used < width) {
		uint32_t code = '?';
		size_t n = text_decode(utf8, &code);

		if (cut && used == width - 1)
			code = 0x2026;
		if (code == PLUS_MINUS && canvas->glyphs == GLYPHS_ASCII) {
			canvas_put(canvas, x + used++, y, '+', role);
			code = cut && used == width - 1 ? 0x2026 : '-';
		}
		if (used < width)
			canvas_put(canvas, x + used++, y, code, role);
		if (!n)
			for (n = 1; ((unsigned char)utf8[n] & 0xc0) == 0x80;)
				n++;
		utf8 += n;
	}
	return used;
}

void canvas_repeat(struct canvas *canvas, int x, int y, int width, uint32_t glyph, enum role role)
{
	for (int i = 0; i < width; i++)
		canvas_put(canvas, x + i, y, glyph, role);
}

void canvas_over(struct canvas *canvas, struct rect rect, enum role over)
{
	for (int y = rect.y; y < rect.y + rect.height; y++)
		for (int x = rect.x; x < rect.x + rect.width; x++)
			if (x >= 0 && y >= 0 && x < canvas->width && y < canvas->height)
				canvas->cells[(size_t)y * canvas->width + x].over = over;
}

static bool cells_equal(const struct canvas_cell *a, const struct canvas_cell *b)
{
	return a->glyph == b->glyph && a->role == b->role && a->over == b->over;
}

bool canvas_equal(const struct canvas *a, const struct canvas *b)
{
	size_t n = (size_t)a->width * a->height;

	if (a->width != b->width || a->height != b->height)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!cells_equal(&a->cells[i], &b->cells[i]))
			return false;
	return true;
}

static void add_utf8(struct text *out, uint32_t code)
{
	char bytes[4];
	size_t n;

	if (code < 0x80) {
		bytes[0] = (char)code;
		n = 1;
	} else if (code < 0x800) {
		bytes[0] = (char)(0xc0 | code >> 6);
		bytes[1] = (char)(0x80 | (code & 0x3f));
		n = 2;
	} else if (code < 0x10000) {
		bytes[0] = (char)(0xe0 | code >> 12);
		bytes[1] = (char)(0x80 | (code >> 6 & 0x3f));
		bytes[2] = (char)(0x80 | (code & 0x3f));
		n = 3;
	} else {
		bytes[0] = (char)(0xf0 | code >> 18);
		bytes[1] = (char)(0x80 | (code >> 12 & 0x3f));
		bytes[2] = (char)(0x80 | (code >> 6 & 0x3f));
		bytes[3] = (char)(0x80 | (code & 0x3f));
		n = 4;
	}
	text_add(out, bytes, n);
}

void canvas_row_text(const struct canvas *canvas, int y, struct text *out)
{
	const struct canvas_cell *row = &canvas->cells[(size_t)y * canvas->width];
	int n = canvas->width;

	while (n > 0 && row[n - 1].glyph == ' ')
		n--;
	for (int x = 0; x < n; x++)
		add_utf8(out, row[x].glyph);
}

void canvas_changes(const struct canvas *before, const struct canvas *now,
		    void (*draw)(void *owner, int x, int y, int n), void *owner)
{
	bool same_size = before->width == now->width && before->height == now->height;

	for (int y = 0; y < now->height; y++) {
		size_t at = (size_t)y * now->width;
		int x = 0;

		while (x < now->width) {
			int from;

			while (x < now->width && same_size &&
			       cells_equal(&before->cells[at + x], &now->cells[at + x]))
				x++;
			from = x;
			while (x < now->width && (!same_size || !cells_equal(&before->cells[at + x],
									     &now->cells[at + x])))
				x++;
			if (x > from)
				draw(owner, from, y, x - from);
		}
	}
}
