// SPDX-License-Identifier: Apache-2.0
// The parts of GLib and libsecret that this module uses, so that building needs none of their headers. The tests
// compile this file against the real headers, and fail on any difference.
#pragma once

#include <stddef.h>
#include <stdint.h>

// MARK: - Types

typedef int gboolean;
typedef char gchar;
typedef int gint;
typedef unsigned int guint;
typedef unsigned int guint32;
typedef unsigned long guint64;
typedef unsigned long gsize;
typedef signed long gssize;
typedef void *gpointer;
typedef guint32 GQuark;
typedef gsize GType;

typedef struct _GAsyncResult GAsyncResult;
typedef struct _GCancellable GCancellable;
typedef struct _GDBusAuthObserver GDBusAuthObserver;
typedef struct _GDBusConnection GDBusConnection;
typedef struct _GError GError;
typedef struct _GMainContext GMainContext;
typedef struct _GObject GObject;
typedef struct _GObjectConstructParam GObjectConstructParam;
typedef struct _GSource GSource;
typedef struct _GTypeInstance GTypeInstance;
typedef struct _GTypeQuery GTypeQuery;
typedef struct _GVariant GVariant;
typedef struct _GVariantType GVariantType;
typedef struct _SecretService SecretService;
typedef struct _SecretValue SecretValue;

typedef void (*GAsyncReadyCallback)(GObject *source, GAsyncResult *result, gpointer data);
typedef gboolean (*GSourceFunc)(gpointer data);
typedef void (*GDestroyNotify)(gpointer data);
typedef void (*GClassInitFunc)(gpointer class, gpointer data);
typedef void (*GInstanceInitFunc)(GTypeInstance *instance, gpointer class);
typedef void (*GDBusSignalCallback)(
    GDBusConnection *connection, const gchar *sender, const gchar *path, const gchar *interface, const gchar *signal,
    GVariant *arguments, gpointer data);

/// GTypeQuery, which GLib fills in.
struct TypeQuery {
    GType type;
    const gchar *type_name;
    guint class_size;
    guint instance_size;
};

/// The beginning of GObjectClass, up to the member that this module sets.
struct ObjectClass {
    GType type;
    void *properties;
    GObject *(*constructor)(GType type, guint count, GObjectConstructParam *properties);
};

// MARK: - Constants

#define CONSTANTS(X) \
    X(G_BUS_TYPE_NONE, 0) \
    X(G_DBUS_CALL_FLAGS_NO_AUTO_START, 1) \
    X(G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT, 1) \
    X(G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, 8) \
    X(G_DBUS_ERROR_DISCONNECTED, 15) \
    X(G_DBUS_ERROR_NO_REPLY, 4) \
    X(G_DBUS_PROXY_FLAGS_DO_NOT_AUTO_START, 4) \
    X(G_DBUS_PROXY_FLAGS_DO_NOT_CONNECT_SIGNALS, 2) \
    X(G_DBUS_PROXY_FLAGS_DO_NOT_LOAD_PROPERTIES, 1) \
    X(G_DBUS_SIGNAL_FLAGS_NONE, 0) \
    X(G_IO_ERROR_BROKEN_PIPE, 44) \
    X(G_IO_ERROR_CANCELLED, 19) \
    X(G_IO_ERROR_CLOSED, 18) \
    X(G_IO_ERROR_TIMED_OUT, 24) \
    X(SECRET_SERVICE_OPEN_SESSION, 2)

// MARK: - Functions

// Result, name, arguments. Parameters of flag enumerations are declared as numbers, which is compatible.

#define GLIB_FUNCTIONS(X) \
    X(void, g_error_free, (GError *)) \
    X(gboolean, g_error_matches, (const GError *, GQuark, gint)) \
    X(void, g_free, (gpointer)) \
    X(gboolean, g_main_context_iteration, (GMainContext *, gboolean)) \
    X(GMainContext *, g_main_context_new, (void)) \
    X(void, g_main_context_pop_thread_default, (GMainContext *)) \
    X(void, g_main_context_push_thread_default, (GMainContext *)) \
    X(void, g_main_context_unref, (GMainContext *)) \
    X(guint, g_source_attach, (GSource *, GMainContext *)) \
    X(void, g_source_destroy, (GSource *)) \
    X(void, g_source_set_callback, (GSource *, GSourceFunc, gpointer, GDestroyNotify)) \
    X(void, g_source_unref, (GSource *)) \
    X(GSource *, g_timeout_source_new, (guint)) \
    X(gboolean, g_variant_get_boolean, (GVariant *)) \
    X(GVariant *, g_variant_get_child_value, (GVariant *, gsize)) \
    X(const gchar *, g_variant_get_string, (GVariant *, gsize *)) \
    X(guint32, g_variant_get_uint32, (GVariant *)) \
    X(guint64, g_variant_get_uint64, (GVariant *)) \
    X(GVariant *, g_variant_get_variant, (GVariant *)) \
    X(gboolean, g_variant_is_of_type, (GVariant *, const GVariantType *)) \
    X(gsize, g_variant_n_children, (GVariant *)) \
    X(GVariant *, g_variant_new_array, (const GVariantType *, GVariant *const *, gsize)) \
    X(GVariant *, g_variant_new_boolean, (gboolean)) \
    X(GVariant *, g_variant_new_dict_entry, (GVariant *, GVariant *)) \
    X(GVariant *, g_variant_new_object_path, (const gchar *)) \
    X(GVariant *, g_variant_new_string, (const gchar *)) \
    X(GVariant *, g_variant_new_tuple, (GVariant *const *, gsize)) \
    X(GVariant *, g_variant_new_uint32, (guint32)) \
    X(GVariant *, g_variant_new_variant, (GVariant *)) \
    X(GVariant *, g_variant_ref_sink, (GVariant *)) \
    X(void, g_variant_unref, (GVariant *))

#define GOBJECT_FUNCTIONS(X) \
    X(void, g_object_set, (gpointer, const gchar *, ...)) \
    X(void, g_object_unref, (gpointer)) \
    X(gpointer, g_type_class_peek, (GType)) \
    X(void, g_type_query, (GType, GTypeQuery *)) \
    X(GType, g_type_register_static_simple, \
      (GType, const gchar *, guint, GClassInitFunc, guint, GInstanceInitFunc, guint))

#define GIO_FUNCTIONS(X) \
    X(void, g_cancellable_cancel, (GCancellable *)) \
    X(GCancellable *, g_cancellable_new, (void)) \
    X(GSource *, g_cancellable_source_new, (GCancellable *)) \
    X(GVariant *, g_dbus_connection_call_sync, \
      (GDBusConnection *, const gchar *, const gchar *, const gchar *, const gchar *, GVariant *, \
       const GVariantType *, guint, gint, GCancellable *, GError **)) \
    X(void, g_dbus_connection_call, \
      (GDBusConnection *, const gchar *, const gchar *, const gchar *, const gchar *, GVariant *, \
       const GVariantType *, guint, gint, GCancellable *, GAsyncReadyCallback, gpointer)) \
    X(GVariant *, g_dbus_connection_call_finish, (GDBusConnection *, GAsyncResult *, GError **)) \
    X(void, g_dbus_connection_close, (GDBusConnection *, GCancellable *, GAsyncReadyCallback, gpointer)) \
    X(gboolean, g_dbus_connection_is_closed, (GDBusConnection *)) \
    X(GDBusConnection *, g_dbus_connection_new_for_address_sync, \
      (const gchar *, guint, GDBusAuthObserver *, GCancellable *, GError **)) \
    X(guint, g_dbus_connection_signal_subscribe, \
      (GDBusConnection *, const gchar *, const gchar *, const gchar *, const gchar *, const gchar *, guint, \
       GDBusSignalCallback, gpointer, GDestroyNotify)) \
    X(void, g_dbus_connection_signal_unsubscribe, (GDBusConnection *, guint)) \
    X(gchar *, g_dbus_error_get_remote_error, (const GError *)) \
    X(GQuark, g_dbus_error_quark, (void)) \
    X(gboolean, g_dbus_error_is_remote_error, (const GError *)) \
    X(gpointer, g_initable_new, (GType, GCancellable *, GError **, const gchar *, ...)) \
    X(GQuark, g_io_error_quark, (void))

#define SECRET_FUNCTIONS(X) \
    X(SecretValue *, secret_service_decode_dbus_secret, (SecretService *, GVariant *)) \
    X(GVariant *, secret_service_encode_dbus_secret, (SecretService *, SecretValue *)) \
    X(const gchar *, secret_service_get_session_dbus_path, (SecretService *)) \
    X(GType, secret_service_get_type, (void)) \
    X(const gchar *, secret_value_get, (SecretValue *, gsize *)) \
    X(SecretValue *, secret_value_new, (const gchar *, gssize, const gchar *)) \
    X(void, secret_value_unref, (gpointer))
