/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The identity of a path: the one place that knows of MD5. */
#include "evtop/trees.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evtop/walk.h"

/* Lines are handed to the digest in pieces of about this size. */
#define PIECE 4096

struct lines {
	void (*take)(void *context, const char *bytes, size_t n);
	void *context;
	char bytes[PIECE];
	size_t n;
};

static void put(struct lines *lines, const char *bytes, size_t n)
{
	if (lines->n + n > sizeof lines->bytes) {
		lines->take(lines->context, lines->bytes, lines->n);
		lines->n = 0;
	}
	if (n > sizeof lines->bytes) {
		lines->take(lines->context, bytes, n);
		return;
	}
	memcpy(lines->bytes + lines->n, bytes, n);
	lines->n += n;
}

void trees_lines(const struct trees *trees, const struct names *names, uint32_t root,
		 void (*take)(void *context, const char *bytes, size_t n), void *context)
{
	struct lines lines = {.take = take, .context = context};
	struct tree_walk walk;

	tree_walk_init(&walk, trees, root);
	while (tree_walk_next(&walk)) {
		uint32_t function = trees_function(trees, walk.node);
		char depth[16], *digit = depth + sizeof depth;

		*--digit = ' ';
		for (uint32_t rest = walk.depth; rest || digit[0] == ' '; rest /= 10)
			*--digit = (char)('0' + rest % 10);
		put(&lines, digit, (size_t)(depth + sizeof depth - digit));
		put(&lines, names_text(names, function), names_length(names, function));
		put(&lines, "\n", 1);
	}
	tree_walk_release(&walk);
	take(context, lines.bytes, lines.n);
}

static void take_digest(void *context, const char *bytes, size_t n)
{
	EVP_DigestUpdate(context, bytes, n);
}

void trees_identity(const struct trees *trees, const struct names *names, uint32_t root,
		    char out[33])
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	EVP_MD_CTX *md5 = EVP_MD_CTX_new();
	unsigned n = 0;

	/* not a matter of security: the field's identities are MD5 */
	if (!md5 || !EVP_DigestInit_ex(md5, EVP_md5(), NULL)) {
		fputs("evtop: this libcrypto has no MD5\n", stderr);
		exit(1);
	}
	trees_lines(trees, names, root, take_digest, md5);
	EVP_DigestFinal_ex(md5, digest, &n);
	EVP_MD_CTX_free(md5);
	for (unsigned i = 0; i < 16; i++)
		snprintf(out + 2 * i, 3, "%02x", digest[i]);
}
