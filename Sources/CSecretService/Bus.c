// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "Libraries.h"

#define BUS_NAME "org.freedesktop.DBus"
#define BUS_PATH "/org/freedesktop/DBus"
#define PROMPT_INTERFACE "org.freedesktop.Secret.Prompt"
#define DISMISS_MILLISECONDS 80

// MARK: - Errors

SecretErrorKind secret_error_kind(const GError *error) {
    GQuark io = libraries.g_io_error_quark(), dbus = libraries.g_dbus_error_quark();
    if (libraries.g_error_matches(error, io, G_IO_ERROR_CANCELLED)) return SecretErrorCancelled;
    if (libraries.g_error_matches(error, io, G_IO_ERROR_TIMED_OUT)) return SecretErrorTimedOut;
    // The bus sends this error on behalf of a service that does not answer.
    if (libraries.g_error_matches(error, dbus, G_DBUS_ERROR_NO_REPLY)) return SecretErrorUnanswered;
    if (libraries.g_error_matches(error, dbus, G_DBUS_ERROR_DISCONNECTED)) return SecretErrorDisconnected;
    if (libraries.g_dbus_error_is_remote_error(error)) return SecretErrorRemote;
    if (libraries.g_error_matches(error, io, G_IO_ERROR_CLOSED)) return SecretErrorDisconnected;
    if (libraries.g_error_matches(error, io, G_IO_ERROR_BROKEN_PIPE)) return SecretErrorDisconnected;
    return SecretErrorOther;
}

char *secret_error_remote_name(const GError *error) { return libraries.g_dbus_error_get_remote_error(error); }
void secret_error_free(GError *error) { libraries.g_error_free(error); }
void secret_free(void *memory) { libraries.g_free(memory); }

// MARK: - Objects

void secret_object_unref(void *object) { libraries.g_object_unref(object); }
GCancellable *secret_cancellable_new(void) { return libraries.g_cancellable_new(); }
void secret_cancel(GCancellable *cancellable) { libraries.g_cancellable_cancel(cancellable); }

GMainContext *secret_context_enter(void) {
    GMainContext *context = libraries.g_main_context_new();
    libraries.g_main_context_push_thread_default(context);
    return context;
}

void secret_context_leave(GMainContext *context) {
    libraries.g_main_context_pop_thread_default(context);
    libraries.g_main_context_unref(context);
}

void secret_context_drain(GMainContext *context) {
    while (libraries.g_main_context_iteration(context, 0)) continue;
}

// MARK: - Calls

GDBusConnection *secret_connect(const char *address, GCancellable *cancellable, GError **error) {
    guint flags =
        G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION;
    return libraries.g_dbus_connection_new_for_address_sync(address, flags, NULL, cancellable, error);
}

bool secret_connection_is_closed(GDBusConnection *connection) {
    return libraries.g_dbus_connection_is_closed(connection);
}

void secret_connection_close(GDBusConnection *connection) {
    libraries.g_dbus_connection_close(connection, NULL, NULL, NULL);
}

GVariant *secret_call(
    GDBusConnection *connection, const char *name, const char *path, const char *interface, const char *method,
    GVariant *arguments, const char *answer_type, int timeout_milliseconds, GCancellable *cancellable, GError **error) {
    return libraries.g_dbus_connection_call_sync(
        connection, name, path, interface, method, arguments, (const GVariantType *)answer_type,
        G_DBUS_CALL_FLAGS_NO_AUTO_START, timeout_milliseconds, cancellable, error);
}

// MARK: - Calls awaited later

struct SecretCall {
    GVariant *answer;
    GError *error;
    bool has_ended;
    bool is_abandoned;
};

static void release(SecretCall *call) {
    if (call->answer != NULL) libraries.g_variant_unref(call->answer);
    if (call->error != NULL) libraries.g_error_free(call->error);
    free(call);
}

static void note_answer(GObject *connection, GAsyncResult *result, gpointer data) {
    SecretCall *call = data;
    call->answer = libraries.g_dbus_connection_call_finish((GDBusConnection *)connection, result, &call->error);
    call->has_ended = true;
    if (call->is_abandoned) release(call);
}

SecretCall *secret_call_send(
    GDBusConnection *connection, const char *name, const char *path, const char *interface, const char *method,
    GVariant *arguments, const char *answer_type, int timeout_milliseconds, GCancellable *cancellable) {
    SecretCall *call = calloc(1, sizeof *call);
    if (call == NULL) return NULL;
    libraries.g_dbus_connection_call(
        connection, name, path, interface, method, arguments, (const GVariantType *)answer_type,
        G_DBUS_CALL_FLAGS_NO_AUTO_START, timeout_milliseconds, cancellable, note_answer, call);
    return call;
}

GVariant *secret_call_wait(SecretCall *call, GMainContext *context, GError **error) {
    while (!call->has_ended) libraries.g_main_context_iteration(context, 1);
    GVariant *answer = call->answer;
    *error = call->error;
    call->answer = NULL;
    call->error = NULL;
    release(call);
    return answer;
}

void secret_call_abandon(SecretCall *call) {
    call->is_abandoned = true;
    if (call->has_ended) release(call);
}

// MARK: - Prompts

struct Prompt {
    bool has_ended;
    bool was_dismissed;
    bool has_lost_service;
    GVariant *result;
};

static void note_completed(
    GDBusConnection *connection, const char *sender, const char *path, const char *interface, const char *signal,
    GVariant *arguments, gpointer data) {
    (void)connection, (void)sender, (void)path, (void)interface, (void)signal;
    struct Prompt *prompt = data;
    if (prompt->has_ended || !libraries.g_variant_is_of_type(arguments, (const GVariantType *)"(bv)")) return;
    GVariant *dismissed = libraries.g_variant_get_child_value(arguments, 0);
    GVariant *boxed = libraries.g_variant_get_child_value(arguments, 1);
    prompt->was_dismissed = libraries.g_variant_get_boolean(dismissed);
    prompt->result = libraries.g_variant_get_variant(boxed);
    prompt->has_ended = true;
    libraries.g_variant_unref(boxed);
    libraries.g_variant_unref(dismissed);
}

static void note_owner(
    GDBusConnection *connection, const char *sender, const char *path, const char *interface, const char *signal,
    GVariant *arguments, gpointer data) {
    (void)connection, (void)sender, (void)path, (void)interface, (void)signal, (void)arguments;
    struct Prompt *prompt = data;
    prompt->has_lost_service = true;
}

static gboolean wake(gpointer data) {
    *(bool *)data = true;
    return 1;
}

static gboolean wake_cancelled(GCancellable *cancellable, gpointer data) {
    (void)cancellable;
    return wake(data);
}

// Dismisses a prompt and waits briefly for its result: if the user has just answered, that answer arrives before the
// reply to this call. Closing the connection would discard unsent messages.
static void dismiss(
    GDBusConnection *connection, GMainContext *context, const char *owner, const char *path, struct Prompt *prompt) {
    bool is_late = false;
    GSource *clock = libraries.g_timeout_source_new(DISMISS_MILLISECONDS);
    libraries.g_source_set_callback(clock, wake, &is_late, NULL);
    libraries.g_source_attach(clock, context);
    GVariant *answer =
        secret_call(connection, owner, path, PROMPT_INTERFACE, "Dismiss", NULL, NULL, DISMISS_MILLISECONDS, NULL, NULL);
    if (answer != NULL) libraries.g_variant_unref(answer);
    secret_context_drain(context);
    while (!prompt->has_ended && !prompt->has_lost_service && !is_late)
        libraries.g_main_context_iteration(context, 1);
    libraries.g_source_destroy(clock);
    libraries.g_source_unref(clock);
}

SecretPromptEnd secret_prompt_follow(
    GDBusConnection *connection, GMainContext *context, const char *owner, const char *path, int timeout_milliseconds,
    GCancellable *cancellable, GVariant **result, GError **error) {
    struct Prompt prompt = {0};
    bool is_late = false;
    // Subscribe before showing the prompt, because it may end at once.
    guint completed = libraries.g_dbus_connection_signal_subscribe(
        connection, owner, PROMPT_INTERFACE, "Completed", path, NULL, G_DBUS_SIGNAL_FLAGS_NONE, note_completed, &prompt,
        NULL);
    guint owners = libraries.g_dbus_connection_signal_subscribe(
        connection, BUS_NAME, BUS_NAME, "NameOwnerChanged", BUS_PATH, owner, G_DBUS_SIGNAL_FLAGS_NONE, note_owner,
        &prompt, NULL);
    GSource *clock = libraries.g_timeout_source_new(timeout_milliseconds < 0 ? 0 : (guint)timeout_milliseconds);
    libraries.g_source_set_callback(clock, wake, &is_late, NULL);
    libraries.g_source_attach(clock, context);
    GSource *cancelled = libraries.g_cancellable_source_new(cancellable);
    libraries.g_source_set_callback(cancelled, (GSourceFunc)(void (*)(void))wake_cancelled, &is_late, NULL);
    libraries.g_source_attach(cancelled, context);

    GVariant *window = libraries.g_variant_new_string("");
    GVariant *shown = secret_call(
        connection, owner, path, PROMPT_INTERFACE, "Prompt", libraries.g_variant_new_tuple(&window, 1), "()",
        timeout_milliseconds, cancellable, error);
    bool is_withdrawn = false;
    if (shown != NULL) {
        libraries.g_variant_unref(shown);
        while (!prompt.has_ended && !prompt.has_lost_service && !is_late)
            libraries.g_main_context_iteration(context, 1);
    }
    if (!prompt.has_ended && !prompt.has_lost_service) {
        is_withdrawn = true;
        dismiss(connection, context, owner, path, &prompt);
    }
    SecretPromptEnd end;
    if (prompt.has_ended && !prompt.was_dismissed) {
        end = SecretPromptCompleted;
    } else if (prompt.has_ended) {
        end = is_withdrawn ? SecretPromptWithdrawn : SecretPromptDismissed;
    } else if (prompt.has_lost_service) {
        end = SecretPromptLost;
    } else {
        end = shown == NULL ? SecretPromptFailed : SecretPromptPending;
    }
    if (end != SecretPromptFailed && *error != NULL) {
        libraries.g_error_free(*error);
        *error = NULL;
    }
    libraries.g_dbus_connection_signal_unsubscribe(connection, completed);
    libraries.g_dbus_connection_signal_unsubscribe(connection, owners);
    libraries.g_source_destroy(clock);
    libraries.g_source_unref(clock);
    libraries.g_source_destroy(cancelled);
    libraries.g_source_unref(cancelled);
    // Pending callbacks must run before their data is freed.
    secret_context_drain(context);
    if (end == SecretPromptCompleted) {
        *result = prompt.result;
    } else if (prompt.result != NULL) {
        libraries.g_variant_unref(prompt.result);
    }
    return end;
}
