// SPDX-License-Identifier: Apache-2.0
#include "Libraries.h"

// Every function that creates a value returns an owned reference: g_variant_ref_sink converts GLib's floating one.

static GVariant *owned(GVariant *variant) { return libraries.g_variant_ref_sink(variant); }

void secret_variant_unref(GVariant *variant) { libraries.g_variant_unref(variant); }

GVariant *secret_variant_string(const char *text) { return owned(libraries.g_variant_new_string(text)); }

GVariant *secret_variant_path(const char *path) { return owned(libraries.g_variant_new_object_path(path)); }

GVariant *secret_variant_bool(bool value) { return owned(libraries.g_variant_new_boolean(value)); }

GVariant *secret_variant_uint32(uint32_t value) { return owned(libraries.g_variant_new_uint32(value)); }

GVariant *secret_variant_boxed(GVariant *value) { return owned(libraries.g_variant_new_variant(value)); }

GVariant *secret_variant_tuple(GVariant *const *children, size_t count) {
    return owned(libraries.g_variant_new_tuple(children, count));
}

GVariant *secret_variant_array(const char *element_type, GVariant *const *children, size_t count) {
    return owned(libraries.g_variant_new_array((const GVariantType *)element_type, children, count));
}

GVariant *secret_variant_entry(GVariant *key, GVariant *value) {
    return owned(libraries.g_variant_new_dict_entry(key, value));
}

bool secret_variant_has_type(GVariant *variant, const char *type) {
    return libraries.g_variant_is_of_type(variant, (const GVariantType *)type);
}

size_t secret_variant_count(GVariant *variant) { return libraries.g_variant_n_children(variant); }

GVariant *secret_variant_child(GVariant *variant, size_t index) {
    GVariant *child = libraries.g_variant_get_child_value(variant, index);
    if (!libraries.g_variant_is_of_type(child, (const GVariantType *)"v")) return child;
    GVariant *content = libraries.g_variant_get_variant(child);
    libraries.g_variant_unref(child);
    return content;
}

const char *secret_variant_text(GVariant *variant) { return libraries.g_variant_get_string(variant, NULL); }

bool secret_variant_truth(GVariant *variant) { return libraries.g_variant_get_boolean(variant); }

uint64_t secret_variant_number(GVariant *variant) {
    if (libraries.g_variant_is_of_type(variant, (const GVariantType *)"u"))
        return libraries.g_variant_get_uint32(variant);
    return libraries.g_variant_get_uint64(variant);
}
