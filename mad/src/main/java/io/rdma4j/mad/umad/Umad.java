// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad.umad;

import io.rdma4j.base.RdmaException;
import io.rdma4j.mad.MadRegistration;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The calls of an open file of {@code ib_umad}: {@link UmadFile} on a device of this process, {@code UmadClient} of the
 * module {@code io.rdma4j.uverbs} on a device that another process serves.
 */
public interface Umad extends AutoCloseable {
    /**
     * Registers an agent.
     *
     * @param qpn 0 or 1
     * @param registration the datagrams that it receives; null for an agent that only sends
     * @param rmppVersion 0 or 1
     * @return number of the agent, 0 to 31
     * @throws RdmaException as {@link UmadFile#register}
     */
    int register(int qpn, @Nullable MadRegistration registration, int rmppVersion);

    /**
     * Sends a message.
     *
     * @param memory a {@link UmadHeader} and the message; read only during the call
     * @throws RdmaException as {@link UmadFile#write}
     */
    void write(MemorySegment memory);

    /**
     * Takes the next message.
     *
     * @param buffer gets header and message
     * @return the number of bytes
     * @throws RdmaException as {@link UmadFile#read}
     */
    int read(MemorySegment buffer);

    /** Closes the file and its agents. Idempotent. */
    @Override
    void close();
}
