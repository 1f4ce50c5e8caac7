package io.rdma4j.uverbs.server;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The objects of a session by the handles that its client has for them. Answers to the {@code idr} of {@code ib_uverbs_file}. One thread:
 * the session's, so an object that a command is about stays until the command is done.
 */
final class Handles {
    private final Map<Integer, Object> objects = new LinkedHashMap<>();
    private int last;

    /** Gives a complete object a handle that was never used before. */
    int add(Object object) {
        objects.put(++last, object);
        return last;
    }

    /** @throws RdmaException EINVAL if there is no such object of this kind */
    <T> T get(int handle, Class<T> kind) {
        return get(handle, List.of(kind));
    }

    /** @throws RdmaException EINVAL if there is no such object of one of these kinds */
    <T> T get(int handle, List<Class<? extends T>> kinds) {
        Object object = objects.get(handle);
        for (Class<? extends T> kind : kinds) {
            if (kind.isInstance(object)) {
                return kind.cast(object);
            }
        }
        throw new RdmaException(
                Errno.EINVAL,
                "handle " + handle + " is of no " + kinds.getFirst().getSimpleName());
    }

    /** The object is gone. */
    void remove(int handle) {
        objects.remove(handle);
    }

    /** What is left, the newest first, which may use those before it. */
    List<Object> newestFirst() {
        return new ArrayList<>(objects.values()).reversed();
    }
}
