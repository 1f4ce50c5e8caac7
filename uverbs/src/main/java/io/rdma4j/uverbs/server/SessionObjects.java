package io.rdma4j.uverbs.server;

import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.Context;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a session has: its context, its event channels, its folder of shared files, and its objects by handle. One thread, the session's.
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

    /** What the client rings when it has posted. */
    SessionDoorbells doorbells() {
        return doorbells;
    }

    /** Where files lie that client and server both map. */
    Path folder() {
        return folder.path();
    }

    /** Gives a complete object a handle and puts it into the answer. */
    Message add(Message answer, AutoCloseable object) {
        return answer.put(Attribute.HANDLE, handles.add(object));
    }

    /**
     * Returns the object that {@link Attribute#HANDLE} names.
     *
     * @throws io.rdma4j.base.RdmaException EINVAL if the session has no such object of this kind
     */
    <T> T find(Message request, Class<T> kind) {
        return find(request, Attribute.HANDLE, kind);
    }

    /** The same for a handle in another attribute. */
    <T> T find(Message request, Attribute attribute, Class<T> kind) {
        return handles.get(request.get(attribute), kind);
    }

    /** The same; null if the attribute is 0 or absent, since no handle is 0. */
    <T> @Nullable T findIfAny(Message request, Attribute attribute, Class<T> kind) {
        return request.get(attribute) == 0 ? null : find(request, attribute, kind);
    }

    /** Closes the object that {@link Attribute#HANDLE} names, of one of some kinds; its handle is not valid any more. */
    void destroy(Message request, List<Class<? extends AutoCloseable>> kinds) {
        close(handles.get(request.get(Attribute.HANDLE), kinds));
        handles.remove(request.get(Attribute.HANDLE));
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
     * Closes everything, objects before those that they use. What cannot be closed does not keep the rest open.
     *
     * @throws IllegalStateException with the first failure as its cause, and the others suppressed in that
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
