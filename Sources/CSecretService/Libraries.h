// The functions of the libraries, as pointers of the types that the real headers declare.
#pragma once

#include <gio/gio.h>
// What works with the paths of items belongs to the part that libsecret calls unstable.
#define SECRET_API_SUBJECT_TO_CHANGE 1
#include <libsecret/secret.h>

#include "CSecretService.h"

// In the order of the libraries in Libraries.c.
#define GLIB_FUNCTIONS(X) \
    X(g_error_free) \
    X(g_error_matches) \
    X(g_free) \
    X(g_main_context_iteration) \
    X(g_main_context_new) \
    X(g_main_context_pop_thread_default) \
    X(g_main_context_push_thread_default) \
    X(g_main_context_unref) \
    X(g_source_attach) \
    X(g_source_destroy) \
    X(g_source_set_callback) \
    X(g_source_unref) \
    X(g_timeout_source_new) \
    X(g_variant_get_boolean) \
    X(g_variant_get_child_value) \
    X(g_variant_get_size) \
    X(g_variant_get_string) \
    X(g_variant_get_uint32) \
    X(g_variant_get_uint64) \
    X(g_variant_get_variant) \
    X(g_variant_is_of_type) \
    X(g_variant_n_children) \
    X(g_variant_new_array) \
    X(g_variant_new_boolean) \
    X(g_variant_new_dict_entry) \
    X(g_variant_new_object_path) \
    X(g_variant_new_string) \
    X(g_variant_new_tuple) \
    X(g_variant_new_uint32) \
    X(g_variant_new_variant) \
    X(g_variant_ref_sink) \
    X(g_variant_unref)

#define GOBJECT_FUNCTIONS(X) \
    X(g_object_set) \
    X(g_object_unref) \
    X(g_type_class_peek) \
    X(g_type_query) \
    X(g_type_register_static_simple)

#define GIO_FUNCTIONS(X) \
    X(g_cancellable_cancel) \
    X(g_cancellable_new) \
    X(g_cancellable_source_new) \
    X(g_dbus_connection_call_sync) \
    X(g_dbus_connection_close) \
    X(g_dbus_connection_is_closed) \
    X(g_dbus_connection_new_for_address_sync) \
    X(g_dbus_connection_signal_subscribe) \
    X(g_dbus_connection_signal_unsubscribe) \
    X(g_dbus_error_get_remote_error) \
    X(g_dbus_error_quark) \
    X(g_dbus_error_is_remote_error) \
    X(g_initable_new) \
    X(g_io_error_quark)

#define SECRET_FUNCTIONS(X) \
    X(secret_service_decode_dbus_secret) \
    X(secret_service_encode_dbus_secret) \
    X(secret_service_get_session_dbus_path) \
    X(secret_service_get_type) \
    X(secret_value_get) \
    X(secret_value_new) \
    X(secret_value_unref)

struct Libraries {
#define DECLARE(function) __typeof__(&(function)) function;
    GLIB_FUNCTIONS(DECLARE) GOBJECT_FUNCTIONS(DECLARE) GIO_FUNCTIONS(DECLARE) SECRET_FUNCTIONS(DECLARE)
#undef DECLARE
};

/// All pointers are set once secret_library_bind() has returned NULL.
extern struct Libraries libraries;
