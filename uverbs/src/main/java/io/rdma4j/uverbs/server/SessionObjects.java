// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.Context;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Holds the objects of a session by handle, its context, its event channels and its directory of shared files. Only for
 * the session's thread.
 */
final class SessionObjects {
    private final Context context;
    private final SessionEvents events;
    private final SharedFolder folder;
    private final SessionDoorbells doorbells;
    private final Handles handles = new Handles();

    SessionObjects(Context context, SessionEvents events, SharedFolder folder, SessionDoorbells doorbells) {
        this.context = context;
        this.events = events;
        this.folder = folder;
        this.doorbells = doorbells;
    }

    Context context() {
        return context;
    }

    SessionEvents events() {
        return events;
    }

    SessionDoorbells doorbells() {
        return doorbells;
    }

    /** Directory of the files that client and server map. */
    Path folder() {
        return folder.path();
    }

    /** Gives a complete object a handle and puts it into the answer. */
    Message add(Message answer, AutoCloseable object) {
        return answer.put(CommandAttribute.HANDLE, handles.add(object));
    }

    /**
     * Returns the object that {@link CommandAttribute#HANDLE} names.
     *
     * @throws io.rdma4j.base.RdmaException EINVAL if the session has no such object of this kind
     */
    <T> T find(Message request, Class<T> kind) {
        return find(request, CommandAttribute.HANDLE, kind);
    }

    /** The same for a handle in another attribute. */
    <T> T find(Message request, CommandAttribute attribute, Class<T> kind) {
        return handles.get(request.get(attribute), kind);
    }

    /** The same; null if the attribute is 0 or absent, because no handle is 0. */
    <T> @Nullable T findIfAny(Message request, CommandAttribute attribute, Class<T> kind) {
        return request.get(attribute) == 0 ? null : find(request, attribute, kind);
    }

    /**
     * Closes the object that {@link CommandAttribute#HANDLE} names, of one of several kinds, and removes its handle.
     */
    void destroy(Message request, List<Class<? extends AutoCloseable>> kinds) {
        close(handles.get(request.get(CommandAttribute.HANDLE), kinds));
        handles.remove(request.get(CommandAttribute.HANDLE));
    }

    private static void close(AutoCloseable object) {
        try {
            object.close();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Closes everything, each object before the objects that it uses. A failure does not stop the others.
     *
     * @throws IllegalStateException with the first failure as its cause; the others are suppressed in that cause
     */
    void closeAll() {
        List<AutoCloseable> all = new ArrayList<>();
        for (Object object : handles.newestFirst()) {
            all.add((AutoCloseable) object);
        }
        all.addAll(List.of(doorbells, events, context, folder::delete));
        Throwable failure = null;
        for (AutoCloseable one : all) {
            try {
                one.close();
            } catch (Throwable e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw new IllegalStateException("not everything of a session could be closed", failure);
        }
    }
}
