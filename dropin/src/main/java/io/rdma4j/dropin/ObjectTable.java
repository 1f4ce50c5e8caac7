// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.Context;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The objects of the program by handle. Handles are small numbers; that of a destroyed object is used again, as in the
 * kernel. Any thread; the data path reads without a lock.
 */
final class ObjectTable {
    private static final ArrayDeque<Integer> FREE = new ArrayDeque<>();

    /** Replaced when it grows. The program hands a handle to other threads only after it got it. */
    private static volatile @Nullable Entry[] entries = new @Nullable Entry[64];

    private static int used;

    private ObjectTable() {}

    /** @param context the context that the object belongs to */
    private record Entry(AutoCloseable object, Context context) {}

    /** Gives a handle to a new object. */
    static synchronized int add(AutoCloseable object, Context context) {
        Integer free = FREE.poll();
        int handle = free != null ? free : used++;
        @Nullable Entry[] table = entries;
        if (handle == table.length) {
            table = Arrays.copyOf(table, 2 * table.length);
        }
        table[handle] = new Entry(object, context);
        entries = table;
        return handle;
    }

    /**
     * Returns an object.
     *
     * @throws RdmaException EINVAL if the handle is that of no object or of one of another kind
     */
    static <T> T get(int handle, Class<T> type) {
        @Nullable Entry[] table = entries;
        Entry entry = handle >= 0 && handle < table.length ? table[handle] : null;
        if (entry == null || !type.isInstance(entry.object)) {
            throw new RdmaException(Errno.EINVAL, "handle " + handle + " is not that of a " + type.getSimpleName());
        }
        return type.cast(entry.object);
    }

    /** Returns an object, or null for the handle -1. */
    static <T> @Nullable T find(int handle, Class<T> type) {
        return handle == -1 ? null : get(handle, type);
    }

    /** Closes an object. If it throws, the object stays open and keeps its handle. Returns 0. */
    static int destroy(int handle) throws Exception {
        get(handle, AutoCloseable.class).close();
        synchronized (ObjectTable.class) {
            entries[handle] = null;
            FREE.add(handle);
        }
        return 0;
    }

    /**
     * Closes all objects of a context, and the context. An object that others use refuses with EBUSY; each round closes
     * those that nothing uses any more.
     */
    static void destroyAll(Context context) throws Exception {
        List<Integer> left = handlesOf(context);
        while (!left.isEmpty()) {
            List<Integer> busy = new ArrayList<>();
            for (int handle : left.reversed()) {
                if (!tryDestroy(handle)) {
                    busy.addFirst(handle);
                }
            }
            if (busy.size() == left.size()) {
                throw new RdmaException(Errno.EBUSY, busy.size() + " objects of " + context + " do not close");
            }
            left = busy;
        }
    }

    private static boolean tryDestroy(int handle) throws Exception {
        try {
            destroy(handle);
            return true;
        } catch (RdmaException e) {
            if (e.errno() == Errno.EBUSY) {
                return false;
            }
            throw e;
        }
    }

    /** The handles of the objects of a context in ascending order. */
    private static synchronized List<Integer> handlesOf(Context context) {
        List<Integer> handles = new ArrayList<>();
        for (int handle = 0; handle < used; handle++) {
            Entry entry = entries[handle];
            if (entry != null && entry.context.equals(context)) {
                handles.add(handle);
            }
        }
        return handles;
    }

    /** The open objects of a type. */
    static synchronized <T> List<T> all(Class<T> type) {
        List<T> objects = new ArrayList<>();
        for (int handle = 0; handle < used; handle++) {
            Entry entry = entries[handle];
            if (entry != null && type.isInstance(entry.object)) {
                objects.add(type.cast(entry.object));
            }
        }
        return objects;
    }
}
