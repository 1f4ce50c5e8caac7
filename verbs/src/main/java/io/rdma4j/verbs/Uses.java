package io.rdma4j.verbs;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The objects that a new one keeps from being closed: all of them are counted, or none. */
final class Uses {
    private final ObjectKind user;
    private final List<Lifecycle> used = new ArrayList<>();

    private Uses(ObjectKind user) {
        this.user = user;
    }

    /**
     * Counts {@code user} at each object; null stands for one that it does without.
     *
     * @throws io.rdma4j.base.RdmaException EINVAL if one is closed; none is counted then
     */
    static Uses acquire(ObjectKind user, @Nullable Lifecycle... objects) {
        Uses uses = new Uses(user);
        try {
            for (Lifecycle object : objects) {
                if (object != null) {
                    object.acquire(user);
                    uses.used.add(object);
                }
            }
        } catch (RuntimeException e) {
            uses.release();
            throw e;
        }
        return uses;
    }

    /** The user is gone; call it once. */
    void release() {
        used.forEach(object -> object.release(user));
    }
}
