// SPDX-License-Identifier: Apache-2.0
#include "LibsecretCalls.h"

#include <dlfcn.h>
#include <string.h>

typedef struct {
    const char *name;
    int flags;
    struct {
        const char *name;
        int type;
    } attributes[32];
    void *reserved[8];
} Schema;

static const Schema schema = {"org.example.token-cache-figures", 0, {{"key", 0}, {"all", 0}, {NULL, 0}}, {NULL}};

static int (*store)(const Schema *, const char *, const char *, const char *, void *, void **, ...);
static char *(*lookup)(const Schema *, void *, void **, ...);
static void *(*search)(const Schema *, int, void *, void **, ...);
static void (*free_secret)(char *);
static void (*disconnect)(void);
static unsigned (*list_length)(void *);
static void (*list_free)(void *, void (*)(void *));
static void (*unref)(void *);

bool libsecret_bind(void) {
    void *library = dlopen("libsecret-1.so.0", RTLD_NOW);
    if (!library) return false;
    // A library's own symbols and those of GLib, which it brings along.
    *(void **)&store = dlsym(library, "secret_password_store_sync");
    *(void **)&lookup = dlsym(library, "secret_password_lookup_sync");
    *(void **)&search = dlsym(library, "secret_password_search_sync");
    *(void **)&free_secret = dlsym(library, "secret_password_free");
    *(void **)&disconnect = dlsym(library, "secret_service_disconnect");
    *(void **)&list_length = dlsym(library, "g_list_length");
    *(void **)&list_free = dlsym(library, "g_list_free_full");
    *(void **)&unref = dlsym(library, "g_object_unref");
    return store && lookup && search && free_secret && disconnect && list_length && list_free && unref;
}

bool libsecret_store(const char *key, const char *secret) {
    return store(&schema, NULL, "figures", secret, NULL, NULL, "key", key, "all", "yes", NULL);
}

long libsecret_lookup(const char *key) {
    char *secret = lookup(&schema, NULL, NULL, "key", key, NULL);
    if (!secret) return -1;
    long length = (long)strlen(secret);
    free_secret(secret);
    return length;
}

long libsecret_list(void) {
    // All of them, unlocked, with their secrets.
    void *items = search(&schema, 2 | 4 | 8, NULL, NULL, "all", "yes", NULL);
    if (!items) return -1;
    long count = list_length(items);
    list_free(items, unref);
    return count;
}

void libsecret_disconnect(void) { disconnect(); }
