// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.core;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The objects that a new object uses and that may not be closed before it. Either all of them are counted, or none. */
public final class Uses {
    private final ObjectKind user;
    private final Lifecycle[] used;

    private Uses(ObjectKind user, List<Lifecycle> used) {
        this.user = user;
        this.used = used.toArray(Lifecycle[]::new);
    }

    /**
     * Counts {@code user} at each object; null entries are ignored.
     *
     * @throws io.rdma4j.base.RdmaException EINVAL if one is closed; none is counted then
     */
    private static Uses acquire(ObjectKind user, @Nullable Lifecycle... objects) {
        List<Lifecycle> used = new ArrayList<>();
        try {
            for (Lifecycle object : objects) {
                if (object != null) {
                    object.acquire(user);
                    used.add(object);
                }
            }
        } catch (RuntimeException e) {
            new Uses(user, used).release();
            throw e;
        }
        return new Uses(user, used);
    }

    /**
     * Creates a user: counts it at each object as {@link #acquire} does, and reverts the counts if the creation fails.
     *
     * @param maker receives the uses; the created object releases them when it is closed
     */
    public static <T> T admit(ObjectKind user, Function<Uses, T> maker, @Nullable Lifecycle... objects) {
        Uses uses = acquire(user, objects);
        try {
            return maker.apply(uses);
        } catch (RuntimeException e) {
            uses.release();
            throw e;
        }
    }

    /** Releases all objects; called once. */
    public void release() {
        for (Lifecycle object : used) {
            object.release(user);
        }
    }
}
