// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>

#include "Libraries.h"

// libsecret creates its service object on the process-wide session bus, whose loss ends the process. This subclass uses
// a private connection and subscribes to no signals, because no main loop runs. Like libsecret, it sets these
// properties in the constructor, because they cannot be changed later.

static GType session_type;
static __thread const char *session_name;

static GObject *construct(GType type, guint count, GObjectConstructParam *properties) {
    struct ObjectClass *parent = libraries.g_type_class_peek(libraries.secret_service_get_type());
    GObject *object = parent->constructor(type, count, properties);
    int flags = G_DBUS_PROXY_FLAGS_DO_NOT_LOAD_PROPERTIES | G_DBUS_PROXY_FLAGS_DO_NOT_CONNECT_SIGNALS
        | G_DBUS_PROXY_FLAGS_DO_NOT_AUTO_START;
    libraries.g_object_set(
        object, "g-bus-type", G_BUS_TYPE_NONE, "g-name", session_name, "g-flags", flags, NULL);
    return object;
}

static void initialize_class(gpointer class, gpointer data) {
    (void)data;
    ((struct ObjectClass *)class)->constructor = construct;
}

static void register_type(void) {
    struct TypeQuery query;
    GType parent = libraries.secret_service_get_type();
    libraries.g_type_query(parent, (GTypeQuery *)&query);
    session_type = libraries.g_type_register_static_simple(
        parent, "TokenCacheSecretService", query.class_size, initialize_class, query.instance_size, NULL, 0);
}

SecretService *secret_session_open(
    GDBusConnection *connection, const char *name, GCancellable *cancellable, GError **error) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_type);
    session_name = name;
    SecretService *session = libraries.g_initable_new(
        session_type, cancellable, error, "g-connection", connection, "flags", SECRET_SERVICE_OPEN_SESSION, NULL);
    session_name = NULL;
    return session;
}

const char *secret_session_path(SecretService *session) {
    return libraries.secret_service_get_session_dbus_path(session);
}

GVariant *secret_encode(SecretService *session, const void *bytes, size_t count, const char *content_type) {
    // libsecret treats a negative length as null-terminated text.
    SecretValue *value = libraries.secret_value_new(bytes, (gssize)count, content_type);
    GVariant *encoded = libraries.secret_service_encode_dbus_secret(session, value);
    libraries.secret_value_unref(value);
    return encoded == NULL ? NULL : libraries.g_variant_ref_sink(encoded);
}

SecretValue *secret_decode(SecretService *session, GVariant *encoded) {
    if (!libraries.g_variant_is_of_type(encoded, (const GVariantType *)"(oayays)")) return NULL;
    return libraries.secret_service_decode_dbus_secret(session, encoded);
}

const void *secret_value_bytes(SecretValue *value, size_t *count) {
    gsize length = 0;
    const void *bytes = libraries.secret_value_get(value, &length);
    *count = length;
    return bytes;
}

void secret_value_release(SecretValue *value) { libraries.secret_value_unref(value); }
