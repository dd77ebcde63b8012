/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reader of samples as CSV. */
#include "fuzz.h"

#include <string.h>

#include "../../src/recording/csv.h"

const char fuzz_name[] = "csv";

struct totals {
	uint64_t rows, duration_ns, text_bytes;
};

static const char *take_row(void *context, const struct csv_row *row)
{
	const char *const texts[] = {row->syscall, row->path, row->campaign, row->run};
	struct totals *totals = context;

	FUZZ_ASSERT(row->duration_ns <= (uint64_t)1 << 53);
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		totals->text_bytes += texts[i] ? strlen(texts[i]) : 0;
	totals->duration_ns += row->duration_ns;
	totals->rows++;
	return NULL;
}

static int read_in_pieces(const uint8_t *data, size_t size, size_t piece, struct totals *totals)
{
	struct csv_reader *reader = csv_reader_new(take_row, totals);
	struct error err = {""};
	int status = 0;

	for (size_t at = 0; at < size && status == 0; at += piece)
		status = csv_reader_feed(reader, (const char *)data + at,
					 piece < size - at ? piece : size - at, &err);
	if (status == 0)
		status = csv_reader_end(reader, &err);
	FUZZ_ASSERT(status == 0 || err.text[0]);
	FUZZ_ASSERT(!csv_reader_bad_rows(reader) == !csv_reader_first_bad(reader)[0]);
	csv_reader_free(reader);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct totals whole = {0}, pieces = {0};
	int a, b;

	csv_probe((const char *)data, size);
	a = read_in_pieces(data, size, size ? size : 1, &whole);
	b = read_in_pieces(data, size, size > 1u << 20 ? 4099 : 3, &pieces);
	FUZZ_ASSERT(a == b);
	FUZZ_ASSERT(whole.rows == pieces.rows && whole.duration_ns == pieces.duration_ns &&
		    whole.text_bytes == pieces.text_bytes);
	return 0;
}

static uint8_t *make_endless_line(size_t *size)
{
	struct text text = {0};

	text_puts(&text, "syscall,duration_ns\nread,1\nread,");
	for (int i = 0; i < 4 << 20; i++)
		text_puts(&text, "12345678");
	*size = text.n;
	return (uint8_t *)text.bytes;
}

static uint8_t *make_endless_header(size_t *size)
{
	struct text text = {0};

	text_puts(&text, "duration_ns");
	for (int i = 0; i < 1 << 20; i++)
		text_puts(&text, ",column");
	*size = text.n;
	return (uint8_t *)text.bytes;
}

const struct fuzz_large fuzz_large[] = {
	{"a row of 32 MiB", make_endless_line},
	{"a header of 7 MiB", make_endless_header},
};
const size_t n_fuzz_large = COUNT_OF(fuzz_large);
