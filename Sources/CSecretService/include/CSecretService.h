// SPDX-License-Identifier: Apache-2.0
/// libsecret and GLib, bound at run time: a process that never opens a keyring does not load them.
///
/// The functions here are the calls of these libraries with the arguments that we need. None may be called before
/// secret_library_bind() has returned NULL. No header of GLib is needed, here or where the functions are defined.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct _GCancellable GCancellable;
typedef struct _GDBusConnection GDBusConnection;
typedef struct _GError GError;
typedef struct _GMainContext GMainContext;
typedef struct _GVariant GVariant;
typedef struct _SecretService SecretService;
typedef struct _SecretValue SecretValue;

/// Loads the libraries and finds the functions, once in a process. Safe from any thread.
///
/// Returns NULL, or what is missing: a text that stays valid.
const char *secret_library_bind(void);

// MARK: - Errors

/// What kind of thing went wrong.
typedef enum SecretErrorKind {
    /// The service, or the bus in its name, answered with an error; it has a D-Bus name.
    SecretErrorRemote,
    /// The call was cancelled.
    SecretErrorCancelled,
    /// No answer came in time.
    SecretErrorTimedOut,
    /// The bus says that the service gives no answer: it ended, or took longer than the bus allows.
    SecretErrorUnanswered,
    /// There is no connection, or it broke.
    SecretErrorDisconnected,
    /// Anything else, such as an answer that makes no sense.
    SecretErrorOther,
} SecretErrorKind;

SecretErrorKind secret_error_kind(const GError *error);
/// The D-Bus name of a remote error, or NULL. Give it back with secret_free().
char *secret_error_remote_name(const GError *error);
void secret_error_free(GError *error);
void secret_free(void *memory);

// MARK: - Objects

void secret_object_unref(void *object);
GCancellable *secret_cancellable_new(void);
/// Safe from any thread.
void secret_cancel(GCancellable *cancellable);
/// A context of its own for the calling thread, for as long as it lives.
GMainContext *secret_context_enter(void);
void secret_context_leave(GMainContext *context);
/// Runs what is due in the context, without waiting.
void secret_context_drain(GMainContext *context);

// MARK: - The bus

/// Connects to the bus at `address`. The connection is nobody else's, and its end does not end the process.
GDBusConnection *secret_connect(const char *address, GCancellable *cancellable, GError **error);
bool secret_connection_is_closed(GDBusConnection *connection);
/// Closes the connection behind the caller.
void secret_connection_close(GDBusConnection *connection);

/// Calls a method and waits for the answer. Never has the bus start a service. `arguments` is not consumed.
GVariant *secret_call(
    GDBusConnection *connection, const char *name, const char *path, const char *interface, const char *method,
    GVariant *arguments, const char *answer_type, int timeout_milliseconds, GCancellable *cancellable, GError **error);

/// A call that was sent and not waited for yet.
typedef struct SecretCall SecretCall;

/// Sends a call whose answer is waited for later, in the context that the calling thread has entered. NULL without memory.
SecretCall *secret_call_send(
    GDBusConnection *connection, const char *name, const char *path, const char *interface, const char *method,
    GVariant *arguments, const char *answer_type, int timeout_milliseconds, GCancellable *cancellable);
/// Waits for the answer, on the same thread. The call is gone then.
GVariant *secret_call_wait(SecretCall *call, GMainContext *context, GError **error);
/// Gives up a call that nobody waits for. Its answer is dropped when it comes.
void secret_call_abandon(SecretCall *call);

/// How a prompt ended.
typedef enum SecretPromptEnd {
    SecretPromptCompleted,
    SecretPromptDismissed,
    /// It was not answered in time, and is gone: whatever it asked for was not done.
    SecretPromptWithdrawn,
    /// It was not answered in time, was asked to go away, and nothing is known of it since.
    SecretPromptPending,
    /// The service went.
    SecretPromptLost,
    /// It could not be shown; there is an error that says why.
    SecretPromptFailed,
} SecretPromptEnd;

/// Shows a prompt and waits until it was answered. The result is to be unreferenced where there is one.
SecretPromptEnd secret_prompt_follow(
    GDBusConnection *connection, GMainContext *context, const char *owner, const char *path, int timeout_milliseconds,
    GCancellable *cancellable, GVariant **result, GError **error);

// MARK: - Sessions and secrets

/// Opens a session with the owner of `name` over this connection: encrypted where the service can.
SecretService *secret_session_open(
    GDBusConnection *connection, const char *name, GCancellable *cancellable, GError **error);
/// Valid as long as the session.
const char *secret_session_path(SecretService *session);

/// A secret as it travels in a session.
GVariant *secret_encode(SecretService *session, const void *bytes, size_t count, const char *content_type);
/// The secret that travelled, or NULL where it makes no sense. Its memory is wiped when it goes.
SecretValue *secret_decode(SecretService *session, GVariant *encoded);
const void *secret_value_bytes(SecretValue *value, size_t *count);
void secret_value_release(SecretValue *value);

// MARK: - Values

void secret_variant_unref(GVariant *variant);
GVariant *secret_variant_string(const char *text);
GVariant *secret_variant_path(const char *path);
GVariant *secret_variant_bool(bool value);
GVariant *secret_variant_uint32(uint32_t value);
/// A value in a variant.
GVariant *secret_variant_boxed(GVariant *value);
GVariant *secret_variant_tuple(GVariant *const *children, size_t count);
/// An array of values of the type `element_type`.
GVariant *secret_variant_array(const char *element_type, GVariant *const *children, size_t count);
GVariant *secret_variant_entry(GVariant *key, GVariant *value);

bool secret_variant_has_type(GVariant *variant, const char *type);
size_t secret_variant_count(GVariant *variant);
/// A child, and for a variant what is in it.
GVariant *secret_variant_child(GVariant *variant, size_t index);
/// The text of a string or a path. Valid as long as the value.
const char *secret_variant_text(GVariant *variant);
bool secret_variant_truth(GVariant *variant);
uint64_t secret_variant_number(GVariant *variant);
/// Number of bytes of the value.
size_t secret_variant_size(GVariant *variant);
