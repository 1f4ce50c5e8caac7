// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.rdmacm.EventChannel;
import io.rdma4j.rdmacm.RdmaCm;
import io.rdma4j.rdmacm.host.RdmaCmService;
import io.rdma4j.verbs.Rdma;
import org.jspecify.annotations.Nullable;

/**
 * An open {@code /dev/infiniband/rdma_cm}: the event channel of a program, and its ids. Corresponds to {@code struct
 * ucma_file}. Any thread.
 */
final class UcmaFile implements AutoCloseable {
    private static final UcmaTable<UcmaFile> FILES = new UcmaTable<>("file of rdma_cm");

    /** The ids of all files, with one sequence of numbers. */
    private static final UcmaTable<UcmaId> IDS = new UcmaTable<>("id");

    private static final UcmaTable<UcmaGroup> GROUPS = new UcmaTable<>("multicast group");
    private static @Nullable RdmaCmService service;

    private final EventChannel channel;

    private UcmaFile(EventChannel channel) {
        this.channel = channel;
    }

    // Files

    /** rdma_cm over the devices of this process; opened by the first file. */
    static synchronized RdmaCm manager() {
        RdmaCmService opened = service;
        if (opened == null) {
            opened = RdmaCmService.open(Rdma.host());
            service = opened;
        }
        return opened.cm();
    }

    /** Returns the number of a new file, whose events an eventfd counts. */
    static int open(CallArguments a) {
        int descriptor = a.small(0);
        UcmaFile file = new UcmaFile(manager().createChannel());
        file.channel.countEvents(change -> CEvents.connectionEvents(descriptor, change));
        return FILES.add(file);
    }

    static UcmaFile of(int number) {
        return FILES.get(number);
    }

    static int close(CallArguments a) {
        FILES.remove(a.small(0)).close();
        return 0;
    }

    /** Ends all connections when the process ends. */
    static synchronized void closeAll() {
        FILES.numbers(_ -> true).forEach(number -> FILES.remove(number).close());
        if (service != null) {
            service.close();
            service = null;
        }
    }

    /** Destroys the ids of the file, as the kernel does when the last descriptor is closed. */
    @Override
    public void close() {
        for (int number : IDS.numbers(id -> id.file() == this)) {
            destroy(number);
        }
        channel.close();
    }

    EventChannel channel() {
        return channel;
    }

    // Ids and groups

    int add(UcmaId id) {
        int number = IDS.add(id);
        id.setNumber(number);
        id.rdma().setUserContext(id);
        return number;
    }

    /**
     * Returns an id of this file.
     *
     * @throws RdmaException ENOENT if there is none of this number, EINVAL if it belongs to another file
     */
    UcmaId id(int number) {
        UcmaId id = IDS.get(number);
        if (id.file() != this) {
            throw new RdmaException(Errno.EINVAL, "id " + number + " belongs to another file of rdma_cm");
        }
        return id;
    }

    /** Destroys an id; returns the number of events of it that the program got. */
    int destroyId(int number) {
        id(number);
        return destroy(number);
    }

    private static int destroy(int number) {
        UcmaId id = IDS.remove(number);
        GROUPS.numbers(group -> group.id() == id).forEach(GROUPS::remove);
        id.rdma().close();
        return id.eventsReported();
    }

    /** Moves an id of another file to this one; returns the number of events of it that the program got there. */
    int migrate(int number) {
        UcmaId id = IDS.get(number);
        id.rdma().migrate(channel);
        id.setFile(this);
        return id.eventsReported();
    }

    static int addGroup(UcmaGroup group) {
        int number = GROUPS.add(group);
        group.setNumber(number);
        return number;
    }

    /** Forgets a group; returns it. */
    UcmaGroup removeGroup(int number) {
        if (GROUPS.get(number).id().file() != this) {
            throw new RdmaException(Errno.EINVAL, "group " + number + " belongs to another file of rdma_cm");
        }
        return GROUPS.remove(number);
    }
}
