// SPDX-License-Identifier: Apache-2.0
// Compiled by a test, never linked: our declarations of GLib and libsecret against the real ones. A type that differs is a
// redefinition; everything else is asserted.
#include <gio/gio.h>
// What works with the paths of items belongs to the part that libsecret calls unstable.
#define SECRET_API_SUBJECT_TO_CHANGE 1
#include <libsecret/secret.h>

#include "Declarations.h"

#define CHECK(name, value) _Static_assert((name) == (value), #name " has another value");
CONSTANTS(CHECK)
#undef CHECK

#define CHECK(result, name, arguments) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(name), result arguments), #name " has another prototype");
GLIB_FUNCTIONS(CHECK)
GOBJECT_FUNCTIONS(CHECK)
GIO_FUNCTIONS(CHECK)
SECRET_FUNCTIONS(CHECK)
#undef CHECK

#define CHECK(ours, our_field, theirs, their_field) \
    _Static_assert(offsetof(struct ours, our_field) == offsetof(theirs, their_field), #their_field " lies elsewhere"); \
    _Static_assert( \
        __builtin_types_compatible_p(__typeof__(((struct ours *)0)->our_field), __typeof__(((theirs *)0)->their_field)), \
        #their_field " has another type");
CHECK(ObjectClass, constructor, GObjectClass, constructor)
CHECK(TypeQuery, type, GTypeQuery, type)
CHECK(TypeQuery, type_name, GTypeQuery, type_name)
CHECK(TypeQuery, class_size, GTypeQuery, class_size)
CHECK(TypeQuery, instance_size, GTypeQuery, instance_size)
_Static_assert(sizeof(struct TypeQuery) == sizeof(GTypeQuery), "GTypeQuery has another size");
