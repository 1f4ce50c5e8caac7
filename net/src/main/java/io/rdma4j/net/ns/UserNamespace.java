// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ns;

import org.jspecify.annotations.Nullable;

/**
 * The owner of network namespaces ({@code user_namespace}). An administrator of a user namespace administers the
 * network namespaces that it and its descendants own. These are objects of the library, not of the operating system.
 */
public final class UserNamespace {
    private final @Nullable UserNamespace parent;

    private UserNamespace(@Nullable UserNamespace parent) {
        this.parent = parent;
    }

    /** Creates the user namespace of a machine's initial namespace ({@code init_user_ns}). */
    static UserNamespace initial() {
        return new UserNamespace(null);
    }

    UserNamespace child() {
        return new UserNamespace(this);
    }

    /** Returns true if it is {@code other} or a descendant of it. */
    boolean isWithin(UserNamespace other) {
        for (UserNamespace one = this; one != null; one = one.parent) {
            if (one == other) {
                return true;
            }
        }
        return false;
    }
}
