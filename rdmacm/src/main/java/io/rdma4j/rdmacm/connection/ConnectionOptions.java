// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.connection;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.rdmacm.RdmaCm;
import io.rdma4j.rdmacm.host.RdmaCmService;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a connection.
 *
 * @param messageBytes maximum length of a received message
 * @param receives number of messages that the peer may send before this end has read them; it waits for the others
 * @param privateData for the peer: at most 56 bytes to connect, 196 to accept; copied by the call
 * @param manager rdma_cm; null for that of the process
 */
public record ConnectionOptions(
        int messageBytes,
        int receives,
        MemorySegment privateData,
        @Nullable RdmaCm manager) {
    /** Messages of at most 64 KiB, 16 of them before they are read, no private data. */
    public static final ConnectionOptions DEFAULT = new ConnectionOptions(64 * 1024, 16, MemorySegment.NULL, null);

    /**
     * Checks the signs.
     *
     * @throws RdmaException EINVAL if a number is not positive
     */
    public ConnectionOptions {
        if (messageBytes <= 0 || receives <= 0) {
            throw new RdmaException(
                    Errno.EINVAL, receives + " receive buffers of " + messageBytes + " bytes: both are positive");
        }
    }

    /**
     * {@return these options with other buffers}
     *
     * @param bytes {@link #messageBytes}
     * @param count {@link #receives}
     */
    public ConnectionOptions withReceives(int bytes, int count) {
        return new ConnectionOptions(bytes, count, privateData, manager);
    }

    /**
     * {@return these options with other private data}
     *
     * @param data {@link #privateData}
     */
    public ConnectionOptions withPrivateData(MemorySegment data) {
        return new ConnectionOptions(messageBytes, receives, data, manager);
    }

    /**
     * {@return these options with another rdma_cm}
     *
     * @param cm of a host
     */
    public ConnectionOptions withManager(RdmaCm cm) {
        return new ConnectionOptions(messageBytes, receives, privateData, cm);
    }

    RdmaCm cm() {
        return manager == null ? RdmaCmService.ofProcess().cm() : manager;
    }
}
