/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The reader of raw pages: the first byte is a number of CPUs, pages follow,
 * dealt to them in turn.
 */
#include "fuzz.h"

#include <string.h>

#include "evtop/binary.h"

const char fuzz_name[] = "pages";

#define PAGE_BYTES 4096
#define COMMON                                                                                     \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
static const char entry[] =
	"name: funcgraph_entry\nID: 11\nformat:\n" COMMON
	"\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n\nprint fmt: \"--> %lx (%d)\", "
	"REC->func, REC->depth\n";
static const char leave[] =
	"name: funcgraph_exit\nID: 10\nformat:\n" COMMON
	"\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long overrun;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long long calltime;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long long rettime;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:int depth;\toffset:40;\tsize:4;\tsigned:1;\n\nprint fmt: \"<-- %lx\", REC->func\n";
static const char enter_call[] = "name: sys_enter\nID: 12\nformat:\n" COMMON
				 "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
				 "\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n"
				 "\nprint fmt: \"NR %ld\", REC->id\n";
static const char leave_call[] = "name: sys_exit\nID: 13\nformat:\n" COMMON
				 "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
				 "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n"
				 "\nprint fmt: \"NR %ld = %ld\", REC->id, REC->ret\n";
static const char kallsyms[] = "ffffffff81000000 T __x64_sys_read\nffffffff81000100 T vfs_read\n";

static struct trace_meta *make_meta(void)
{
	struct trace_meta *meta = trace_meta_new();
	struct error err;

	trace_meta_machine(meta, false, 8);
	FUZZ_ASSERT(!trace_meta_header_page(meta, header_page, sizeof header_page - 1, &err));
	FUZZ_ASSERT(!trace_meta_format(meta, "ftrace", entry, sizeof entry - 1, &err));
	FUZZ_ASSERT(!trace_meta_format(meta, "ftrace", leave, sizeof leave - 1, &err));
	FUZZ_ASSERT(!trace_meta_format(meta, "", enter_call, sizeof enter_call - 1, &err));
	FUZZ_ASSERT(!trace_meta_format(meta, "", leave_call, sizeof leave_call - 1, &err));
	FUZZ_ASSERT(!trace_meta_kallsyms(meta, kallsyms, sizeof kallsyms - 1, &err));
	FUZZ_ASSERT(trace_meta_usable(meta, &err));
	return meta;
}

static void take_events(void *context, const struct event *events, size_t n)
{
	uint64_t *n_events = context;

	for (size_t i = 0; i < n; i++)
		*n_events += events[i].kind != EVENT_LOST;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace_meta *meta = make_meta();
	struct names *names = names_new();
	uint32_t n_cpus = size ? 1 + data[0] % 4 : 1, cpu = 0;
	uint64_t n_events = 0;
	struct page_reader *reader = page_reader_new(names, meta, n_cpus, take_events, &n_events);

	for (size_t at = 1; at < size; at += PAGE_BYTES, cpu = (cpu + 1) % n_cpus) {
		const bool quiet[4] = {at % 3 == 0, false, at % 5 == 0, true};

		page_reader_page(reader, cpu, data + at,
				 size - at < PAGE_BYTES ? size - at : PAGE_BYTES);
		page_reader_drain(reader, quiet);
	}
	page_reader_end(reader);
	FUZZ_ASSERT(page_reader_counts(reader)->events == n_events);
	for (cpu = 0; cpu < n_cpus; cpu++)
		FUZZ_ASSERT(page_reader_waiting(reader, cpu) == 0);
	page_reader_free(reader);
	names_free(names);
	trace_meta_free(meta);
	return 0;
}

const struct fuzz_large fuzz_large[1];
const size_t n_fuzz_large;
