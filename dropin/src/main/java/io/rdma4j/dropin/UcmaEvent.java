// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import io.rdma4j.cm.Ece;
import io.rdma4j.rdmacm.ConnectParameters;
import io.rdma4j.rdmacm.ConnectionEvent;
import io.rdma4j.rdmacm.DatagramPeer;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.verbs.values.QpType;
import org.jspecify.annotations.Nullable;

/** Events of ids as {@code struct rdma_ucm_event_resp}. */
final class UcmaEvent {
    static final int BYTES = 336;

    /** Without the members {@code reserved} and {@code ece}, which older programs do not have. */
    static final int LEAST_BYTES = 324;

    private static final int PARAMETERS = 20;
    private static final int ECE = 328;
    private static final int PRIVATE_DATA_OF_CONNECTION = PARAMETERS + 8;
    private static final int PRIVATE_DATA_OF_DATAGRAM = PARAMETERS + 40;

    /** An event that the program has written itself. */
    record Written(int type, long argument) {}

    private final ConnectionEvent event;

    /** The id that the program gets the number of; a new one for a request. */
    private final UcmaId id;

    /** The id that the event counts for: the listener of a request. */
    private final UcmaId owner;

    private UcmaEvent(ConnectionEvent event, UcmaId id, UcmaId owner) {
        this.event = event;
        this.id = id;
        this.owner = owner;
    }

    /**
     * Returns what the program gets of an event; null if it does not know the id yet. Such an event is dropped, as in
     * the kernel: a request that was not accepted is gone.
     */
    static @Nullable UcmaEvent of(ConnectionEvent event) {
        RdmaId listener = event.listenId();
        UcmaId owner = known(listener == null ? event.id() : listener);
        if (owner == null || owner.user() == 0) {
            return null;
        }
        if (listener == null) {
            return new UcmaEvent(event, owner, owner);
        }
        UcmaId child = new UcmaId(owner.file(), event.id(), 0);
        owner.file().add(child);
        return new UcmaEvent(event, child, owner);
    }

    /** A request that the program has not got yet has inherited the object of its listener. */
    private static @Nullable UcmaId known(RdmaId rdma) {
        return rdma.userContext() instanceof UcmaId id && id.rdma().equals(rdma) ? id : null;
    }

    /** The program acknowledges the event before it frees the structures of the id and the group. */
    void count() {
        owner.countEvent();
        if (event.context() instanceof UcmaGroup group) {
            group.countEvent();
        }
    }

    /** Writes the event into memory whose bytes are zero. */
    void put(long out) {
        CMemory.putLong(out, owner.user());
        CMemory.putInt(out + 8, id.number());
        CMemory.putInt(out + 12, event.type().ordinal());
        CMemory.putInt(out + 16, event.status());
        if (event.context() instanceof UcmaGroup group) {
            CMemory.putLong(out, group.user());
            CMemory.putInt(out + 8, group.number());
        }
        if (event.context() instanceof Written written) {
            CMemory.putInt(out + 12, written.type);
            CMemory.putLong(out + PARAMETERS, written.argument);
            return;
        }
        boolean isDatagram = event.id().qpType() == QpType.UD;
        UcmaFormat.putPrivateData(
                out + (isDatagram ? PRIVATE_DATA_OF_DATAGRAM : PRIVATE_DATA_OF_CONNECTION), event.privateData());
        Ece ece = event.id().remoteEce();
        CMemory.putInt(out + ECE, ece.vendorId());
        CMemory.putInt(out + ECE + 4, ece.options());
        DatagramPeer peer = event.datagram();
        ConnectParameters parameters = event.parameters();
        if (peer != null) {
            UcmaFormat.putPeer(out + PARAMETERS, peer);
        } else if (parameters != null && !isDatagram) {
            UcmaFormat.putParameters(out + PARAMETERS, parameters);
        }
    }
}
