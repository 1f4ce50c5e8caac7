package io.rdma4j.net.ns;

import org.jspecify.annotations.Nullable;

/**
 * Whose a network namespace is ({@code user_namespace}): who administers a user namespace administers the network namespaces
 * that it owns, and those of the user namespaces below. These are objects of the library and nothing of the operating system's.
 */
public final class UserNamespace {
    private final @Nullable UserNamespace parent;

    private UserNamespace(@Nullable UserNamespace parent) {
        this.parent = parent;
    }

    /** That of a machine's initial namespace ({@code init_user_ns}). */
    static UserNamespace initial() {
        return new UserNamespace(null);
    }

    UserNamespace child() {
        return new UserNamespace(this);
    }

    /** True if it is {@code other} or below it. */
    boolean isWithin(UserNamespace other) {
        for (UserNamespace one = this; one != null; one = one.parent) {
            if (one == other) {
                return true;
            }
        }
        return false;
    }
}
