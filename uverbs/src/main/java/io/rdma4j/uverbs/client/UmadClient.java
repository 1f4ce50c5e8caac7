// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.client;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.mad.MadRegistration;
import io.rdma4j.mad.umad.Umad;
import io.rdma4j.mad.umad.UmadFile;
import io.rdma4j.uverbs.abi.AttributeEncoding;
import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.FrameCodec;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.local.RunDirectory;
import io.rdma4j.verbs.spi.FoundDevice;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * A file of {@code ib_umad} on a device that another process serves: management datagrams over the queue pairs 0 and 1
 * of that process. The calls are those of {@link UmadFile}. Any thread, but not the one that runs {@code readable}.
 *
 * {@snippet :
 * try (UmadClient umad = UmadClient.open(RunDirectory.configured(), "rxe0", 1, readable::release)) {
 *     int agent = umad.register(1, MadRegistration.of(MadClass.PERF_MGT, MadMethod.SEND.code()), 0);
 * }
 * }
 */
public final class UmadClient implements Umad {
    private final ClientSession session;
    private final int handle;

    /** The message that was fetched and did not fit into the buffer of a read. */
    private @Nullable MemorySegment pending;

    private UmadClient(ClientSession session, int handle) {
        this.session = session;
        this.handle = handle;
    }

    /**
     * Opens a file.
     *
     * @param directory where processes publish the devices that they serve
     * @param device name of the device
     * @param port port number, from 1
     * @param readable called when something can be read, or the server has ended; must not block or use this object
     * @return the file; the caller closes it
     * @throws RdmaException ENODEV if no other process serves the device, or it has no such port; EBUSY if the queue
     *     pair 1 belongs to a program that manages it itself; errors of the connection
     */
    public static UmadClient open(RunDirectory directory, String device, int port, Runnable readable) {
        FoundDevice found = directory.scan().stream()
                .filter(candidate -> candidate.name().equals(device))
                .findFirst()
                .orElseThrow(() -> new RdmaException(
                        Errno.ENODEV, "no process serves a device " + device + " in " + directory.root()));
        ClientDevice served = new ClientDevice(found, AttributeEncoding.ofVersion(found.abiVersion()));
        ClientSession session = served.session((type, _) -> {
            switch (type) {
                case DEVICE_FATAL -> readable.run();
                default -> {}
            }
        });
        try {
            Message answer = session.call(new Message(CommandType.OPEN_UMAD)
                    .put(CommandAttribute.PORT, port)
                    .putLong(CommandAttribute.USER_HANDLE, session.registerReadable(readable)));
            return new UmadClient(session, answer.get(CommandAttribute.HANDLE));
        } catch (RuntimeException e) {
            session.close();
            throw e;
        }
    }

    private Message command(CommandType type) {
        return new Message(type).put(CommandAttribute.HANDLE, handle);
    }

    /**
     * Registers an agent.
     *
     * @param qpn 0 or 1
     * @param registration the datagrams that it receives; null for an agent that only sends
     * @param rmppVersion 0 or 1
     * @return number of the agent, 0 to 31
     * @throws RdmaException as {@link UmadFile#register}, EIO if the server has ended
     */
    @Override
    public int register(int qpn, @Nullable MadRegistration registration, int rmppVersion) {
        Message command = command(CommandType.REGISTER_UMAD_AGENT)
                .put(CommandAttribute.QPN, qpn)
                .put(CommandAttribute.RMPP_VERSION, rmppVersion);
        if (registration != null) {
            byte[] methods = new byte[registration.methods().size()];
            int count = 0;
            for (int method : registration.methods()) {
                methods[count++] = (byte) method;
            }
            command.put(CommandAttribute.MGMT_CLASS, registration.mgmtClass())
                    .put(CommandAttribute.CLASS_VERSION, registration.classVersion())
                    .put(CommandAttribute.OUI, registration.oui())
                    .putBytes(CommandAttribute.METHODS, methods);
        }
        return session.call(command).get(CommandAttribute.INDEX);
    }

    /**
     * Ends the registration of an agent.
     *
     * @param id number of the agent
     * @throws RdmaException EINVAL if there is no such agent, EIO if the server has ended
     */
    public void unregister(int id) {
        session.call(command(CommandType.UNREGISTER_UMAD_AGENT).put(CommandAttribute.INDEX, id));
    }

    /**
     * Sends a message.
     *
     * @param memory a {@link io.rdma4j.mad.umad.UmadHeader} and the message; read only during the call
     * @throws RdmaException as {@link UmadFile#write}, EIO if the server has ended
     */
    @Override
    public synchronized void write(MemorySegment memory) {
        long size = memory.byteSize();
        long offset = 0;
        do {
            long length = Math.min(FrameCodec.MAX_DATA_BYTES, size - offset);
            session.call(command(CommandType.WRITE_UMAD)
                    .putLong(CommandAttribute.OFFSET, offset)
                    .putLong(CommandAttribute.SIZE, size)
                    .putBytes(
                            CommandAttribute.DATA,
                            memory.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE)));
            offset += length;
        } while (offset < size);
    }

    /**
     * Takes the next message.
     *
     * @param buffer gets header and message
     * @return the number of bytes
     * @throws RdmaException as {@link UmadFile#read}, EIO if the server has ended
     */
    @Override
    public synchronized int read(MemorySegment buffer) {
        MemorySegment packet = pending;
        if (packet == null) {
            packet = fetch();
            pending = packet;
        }
        int length = UmadFile.copy(packet, buffer);
        pending = null;
        return length;
    }

    private MemorySegment fetch() {
        Message first = part(0);
        MemorySegment packet = MemorySegment.ofArray(new byte[Math.toIntExact(first.getLong(CommandAttribute.SIZE))]);
        long offset = put(packet, 0, first);
        while (offset < packet.byteSize()) {
            offset = put(packet, offset, part(offset));
        }
        return packet;
    }

    private Message part(long offset) {
        return session.call(command(CommandType.READ_UMAD).putLong(CommandAttribute.OFFSET, offset));
    }

    private static long put(MemorySegment packet, long offset, Message part) {
        byte[] data = part.getBytes(CommandAttribute.DATA);
        if (data.length == 0 || data.length > packet.byteSize() - offset) {
            throw new RdmaException(
                    Errno.EIO, "the server sends " + data.length + " bytes at " + offset + " of " + packet.byteSize());
        }
        MemorySegment.copy(data, 0, packet, ValueLayout.JAVA_BYTE, offset, data.length);
        return offset + data.length;
    }

    /** Closes the file and its agents. Idempotent. */
    @Override
    public void close() {
        session.close();
    }
}
