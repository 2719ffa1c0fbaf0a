// SPDX-License-Identifier: Apache-2.0
/// libsecret and GLib, bound at run time, so that a process that never opens a keyring does not load them.
///
/// The functions call these libraries with the arguments that this project needs. Call none before
/// secret_library_bind() has returned NULL. Building them needs no GLib headers.
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

/// Loads the libraries and binds the functions, once per process. Thread-safe.
///
/// Returns NULL, or the name of the missing library or function, which stays valid.
const char *secret_library_bind(void);

// MARK: - Errors

/// The kind of an error.
typedef enum SecretErrorKind {
    /// The service, or the bus on its behalf, answered with an error, which has a D-Bus name.
    SecretErrorRemote,
    /// The call was cancelled.
    SecretErrorCancelled,
    /// The service did not answer in time.
    SecretErrorTimedOut,
    /// The bus reports that the service did not answer: it exited, or took longer than the bus allows.
    SecretErrorUnanswered,
    /// The connection is missing or broken.
    SecretErrorDisconnected,
    /// Another error, such as an invalid answer.
    SecretErrorOther,
} SecretErrorKind;

SecretErrorKind secret_error_kind(const GError *error);
/// The D-Bus name of a remote error, or NULL. Free it with secret_free().
char *secret_error_remote_name(const GError *error);
void secret_error_free(GError *error);
void secret_free(void *memory);

// MARK: - Objects

void secret_object_unref(void *object);
GCancellable *secret_cancellable_new(void);
/// Thread-safe.
void secret_cancel(GCancellable *cancellable);
/// Creates a context for the calling thread, which must leave it before it ends.
GMainContext *secret_context_enter(void);
void secret_context_leave(GMainContext *context);
/// Dispatches pending events of the context, without waiting.
void secret_context_drain(GMainContext *context);

// MARK: - The bus

/// Opens a private connection to the bus at `address`, whose loss does not end the process.
GDBusConnection *secret_connect(const char *address, GCancellable *cancellable, GError **error);
bool secret_connection_is_closed(GDBusConnection *connection);
/// Closes the connection asynchronously.
void secret_connection_close(GDBusConnection *connection);

/// Calls a method and waits for the answer, without activating a service. `arguments` is not consumed.
GVariant *secret_call(
    GDBusConnection *connection, const char *name, const char *path, const char *interface, const char *method,
    GVariant *arguments, const char *answer_type, int timeout_milliseconds, GCancellable *cancellable, GError **error);

/// A call whose answer has not been received yet.
typedef struct SecretCall SecretCall;

/// Sends a call, to be awaited later in the context that the calling thread has entered. Returns NULL if out of memory.
SecretCall *secret_call_send(
    GDBusConnection *connection, const char *name, const char *path, const char *interface, const char *method,
    GVariant *arguments, const char *answer_type, int timeout_milliseconds, GCancellable *cancellable);
/// Waits for the answer, on the same thread, and frees the call.
GVariant *secret_call_wait(SecretCall *call, GMainContext *context, GError **error);
/// Abandons a call; its answer is discarded when it arrives.
void secret_call_abandon(SecretCall *call);

/// How a prompt ended.
typedef enum SecretPromptEnd {
    SecretPromptCompleted,
    SecretPromptDismissed,
    /// The user did not answer in time, and the prompt was dismissed: the service did not carry out the request.
    SecretPromptWithdrawn,
    /// The user did not answer in time, and the prompt has not confirmed its dismissal.
    SecretPromptPending,
    /// The service exited.
    SecretPromptLost,
    /// The prompt could not be shown; see the error.
    SecretPromptFailed,
} SecretPromptEnd;

/// Shows a prompt and waits until it is answered. The caller must unreference the result, if any.
SecretPromptEnd secret_prompt_follow(
    GDBusConnection *connection, GMainContext *context, const char *owner, const char *path, int timeout_milliseconds,
    GCancellable *cancellable, GVariant **result, GError **error);

// MARK: - Sessions and secrets

/// Opens a session with the owner of `name` over this connection, encrypted if the service supports it.
SecretService *secret_session_open(
    GDBusConnection *connection, const char *name, GCancellable *cancellable, GError **error);
/// Valid as long as the session.
const char *secret_session_path(SecretService *session);

/// Encodes a secret for transfer in a session.
GVariant *secret_encode(SecretService *session, const void *bytes, size_t count, const char *content_type);
/// Decodes a transferred secret; NULL if it is invalid. Its memory is wiped on release.
SecretValue *secret_decode(SecretService *session, GVariant *encoded);
const void *secret_value_bytes(SecretValue *value, size_t *count);
void secret_value_release(SecretValue *value);

// MARK: - Values

void secret_variant_unref(GVariant *variant);
GVariant *secret_variant_string(const char *text);
GVariant *secret_variant_path(const char *path);
GVariant *secret_variant_bool(bool value);
GVariant *secret_variant_uint32(uint32_t value);
/// A value wrapped in a variant.
GVariant *secret_variant_boxed(GVariant *value);
GVariant *secret_variant_tuple(GVariant *const *children, size_t count);
/// An array of values of the type `element_type`.
GVariant *secret_variant_array(const char *element_type, GVariant *const *children, size_t count);
GVariant *secret_variant_entry(GVariant *key, GVariant *value);

bool secret_variant_has_type(GVariant *variant, const char *type);
size_t secret_variant_count(GVariant *variant);
/// The child at `index`; of a variant, its content.
GVariant *secret_variant_child(GVariant *variant, size_t index);
/// The text of a string or a path. Valid as long as the value.
const char *secret_variant_text(GVariant *variant);
bool secret_variant_truth(GVariant *variant);
uint64_t secret_variant_number(GVariant *variant);
