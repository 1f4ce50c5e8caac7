// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.connection;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/** A message of the peer. {@link #close} lets the peer send another one. */
public final class ReceivedMessage implements AutoCloseable {
    private final RdmaConnection connection;
    private final int slot;
    private final MemorySegment data;
    private boolean isClosed;

    ReceivedMessage(RdmaConnection connection, int slot, MemorySegment data) {
        this.connection = connection;
        this.slot = slot;
        this.data = data;
    }

    /** {@return the bytes; valid until {@link #close}} */
    public MemorySegment data() {
        return data;
    }

    /** {@return the bytes as text in UTF-8} */
    public String text() {
        return new String(data.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }

    /** Returns the buffer. Idempotent; one thread. */
    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            connection.postReceive(slot);
        }
    }
}
