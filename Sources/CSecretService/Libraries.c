// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#include "Libraries.h"

struct Libraries libraries;

static char missing[200];

static void *library(const char *name) {
    // Bind lazily, because dependencies of unused backends may stay unbound.
    void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (handle == NULL && missing[0] == 0) snprintf(missing, sizeof missing, "%s cannot be loaded", name);
    return handle;
}

static void *function(void *handle, const char *name) {
    void *address = handle == NULL ? NULL : dlsym(handle, name);
    if (address == NULL && missing[0] == 0) snprintf(missing, sizeof missing, "there is no function %s", name);
    return address;
}

static void bind(void) {
    // Load libsecret first, because it loads the versions of the others that it was built with.
    void *secret = library("libsecret-1.so.0");
    void *glib = library("libglib-2.0.so.0");
    void *gobject = library("libgobject-2.0.so.0");
    void *gio = library("libgio-2.0.so.0");
// dlsym returns functions as object pointers, which C cannot convert to function pointers.
#define BIND(handle, name) *(void **)&libraries.name = function(handle, #name);
#define BIND_GLIB(result, name, arguments) BIND(glib, name)
#define BIND_GOBJECT(result, name, arguments) BIND(gobject, name)
#define BIND_GIO(result, name, arguments) BIND(gio, name)
#define BIND_SECRET(result, name, arguments) BIND(secret, name)
    GLIB_FUNCTIONS(BIND_GLIB)
    GOBJECT_FUNCTIONS(BIND_GOBJECT)
    GIO_FUNCTIONS(BIND_GIO)
    SECRET_FUNCTIONS(BIND_SECRET)
}

const char *secret_library_bind(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, bind);
    return missing[0] == 0 ? NULL : missing;
}
