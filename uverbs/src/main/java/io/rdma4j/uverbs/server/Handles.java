// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The objects of a session by handle. Corresponds to the {@code idr} of {@code ib_uverbs_file}. Only the session's
 * thread uses it, so the object of a command exists until the command is done.
 */
final class Handles {
    private final Map<Integer, Object> objects = new LinkedHashMap<>();
    private int last;

    /** Gives a complete object a new handle; handles are not reused. */
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

    /** Removes the object of a handle. */
    void remove(int handle) {
        objects.remove(handle);
    }

    /** The objects, newest first, because newer objects may use older ones. */
    List<Object> newestFirst() {
        return new ArrayList<>(objects.values()).reversed();
    }
}
