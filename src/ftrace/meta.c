/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is needed to read pages, taken from the running kernel. */
#include "open.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Events of ftrace itself that may stand in the buffers. */
static const char *const ftrace_events[] = {"funcgraph_entry", "funcgraph_exit",
					    "fgraph_retaddr_entry", "print"};

static int add_format(struct ftrace *ftrace, const char *system, const char *event,
		      struct error *err)
{
	struct kernel_texts *texts = &ftrace->texts;
	struct text file = {0};
	int status = 0;

	text_printf(&file, "events/%s/%s/format", system, event);
	if (tfs_has(&ftrace->tfs, PLACE_TOP, file.bytes)) {
		ARRAY_RESERVE(texts->formats, texts->n_formats, texts->formats_room);
		texts->formats[texts->n_formats] =
			(struct kernel_format){.system = mem_copy_text(system)};
		status = tfs_read(&ftrace->tfs, PLACE_TOP, file.bytes,
				  &texts->formats[texts->n_formats++].text, err);
	}
	text_release(&file);
	return status;
}

/* Those of the events that are on: "system:event" lines. */
static int add_enabled(struct ftrace *ftrace, struct error *err)
{
	struct text events = {0};
	int status = 0;

	if (setting_read(&ftrace->tfs, PLACE_OWN, "set_event", &events, err))
		return -1;
	for (char *rest = events.bytes, *line; !status && (line = strsep(&rest, "\n"));) {
		char *colon = strchr(line, ':');

		if (!colon)
			continue;
		*colon = '\0';
		status = add_format(ftrace, line, colon + 1, err);
	}
	text_release(&events);
	return status;
}

static int find_page_bytes(struct ftrace *ftrace, struct error *err)
{
	struct trace_meta *meta = trace_meta_new();
	int status = trace_meta_header_page(meta, ftrace->texts.header_page.bytes,
					    ftrace->texts.header_page.n, err);

	ftrace->page_bytes = trace_meta_page_bytes(meta);
	trace_meta_free(meta);
	return status;
}

int kernel_texts_read(struct ftrace *ftrace, struct error *err)
{
	struct kernel_texts *texts = &ftrace->texts;

	if (tfs_read(&ftrace->tfs, PLACE_TOP, "events/header_page", &texts->header_page, err) ||
	    tfs_read(&ftrace->tfs, PLACE_TOP, "events/header_event", &texts->header_event, err) ||
	    read_whole("/proc/kallsyms", &texts->kallsyms, err))
		return -1;
	if (find_page_bytes(ftrace, err))
		return -1;
	for (size_t i = 0; i < COUNT_OF(ftrace_events); i++)
		if (add_format(ftrace, "ftrace", ftrace_events[i], err))
			return -1;
	texts->comms_fd = tfs_file(&ftrace->tfs, PLACE_TOP, "saved_cmdlines", O_RDONLY, err);
	return texts->comms_fd < 0 ? -1 : add_enabled(ftrace, err);
}

void kernel_texts_release(struct kernel_texts *texts)
{
	if (texts->comms_fd >= 0)
		close(texts->comms_fd);
	for (size_t i = 0; i < texts->n_formats; i++) {
		free(texts->formats[i].system);
		text_release(&texts->formats[i].text);
	}
	free(texts->formats);
	text_release(&texts->header_page);
	text_release(&texts->header_event);
	text_release(&texts->kallsyms);
}

void kernel_texts_comms(const struct kernel_texts *texts, struct text *comms)
{
	text_puts(comms, "");
	if (texts->comms_fd >= 0 && lseek(texts->comms_fd, 0, SEEK_SET) == 0)
		read_descriptor(texts->comms_fd, comms);
}

struct trace_meta *ftrace_meta(const struct ftrace *ftrace, struct error *err)
{
	const struct kernel_texts *texts = &ftrace->texts;
	struct trace_meta *meta = trace_meta_new();
	struct text comms = {0};
	int status;

	trace_meta_kernel(meta, ftrace->kernel.bytes);
	status = trace_meta_header_page(meta, texts->header_page.bytes, texts->header_page.n, err);
	for (size_t i = 0; i < texts->n_formats && !status; i++)
		status = trace_meta_format(meta, texts->formats[i].system,
					   texts->formats[i].text.bytes, texts->formats[i].text.n,
					   err);
	if (!status && ftrace->graph)
		status = trace_meta_kallsyms(meta, texts->kallsyms.bytes, texts->kallsyms.n, err);
	kernel_texts_comms(texts, &comms);
	trace_meta_comms(meta, comms.bytes, comms.n);
	text_release(&comms);
	if (!status && trace_meta_usable(meta, err))
		return meta;
	trace_meta_free(meta);
	return NULL;
}
