/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "digest.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

struct digest {
	EVP_MD_CTX *context;
};

struct digest *digest_new(void)
{
	struct digest *digest = mem_alloc(sizeof *digest);

	digest->context = EVP_MD_CTX_new();
	if (!digest->context || !EVP_DigestInit_ex(digest->context, EVP_sha256(), NULL)) {
		fputs("evtop: this libcrypto has no SHA-256\n", stderr);
		exit(1);
	}
	return digest;
}

void digest_add(struct digest *digest, const void *bytes, size_t n)
{
	EVP_DigestUpdate(digest->context, bytes, n);
}

void digest_finish(struct digest *digest, char *hex)
{
	unsigned char bytes[EVP_MAX_MD_SIZE];
	unsigned n = 0;

	EVP_DigestFinal_ex(digest->context, bytes, &n);
	for (unsigned i = 0; hex && i < 32; i++)
		snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
	EVP_MD_CTX_free(digest->context);
	free(digest);
}
