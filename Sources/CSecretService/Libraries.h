// SPDX-License-Identifier: Apache-2.0
// The functions of the libraries, as pointers.
#pragma once

#include "CSecretService.h"
#include "Declarations.h"

#define DECLARE(name, value) name = value,
enum { CONSTANTS(DECLARE) };
#undef DECLARE

struct Libraries {
#define DECLARE(result, name, arguments) result(*name) arguments;
    GLIB_FUNCTIONS(DECLARE) GOBJECT_FUNCTIONS(DECLARE) GIO_FUNCTIONS(DECLARE) SECRET_FUNCTIONS(DECLARE)
#undef DECLARE
};

/// The pointers, all set once secret_library_bind() has returned NULL.
extern struct Libraries libraries;
