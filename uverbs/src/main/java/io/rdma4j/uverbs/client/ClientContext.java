// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.client;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.RecordCodec;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.GidEntry;
import io.rdma4j.verbs.device.PortAttributes;
import io.rdma4j.verbs.spi.ContextOps;
import io.rdma4j.verbs.spi.CqEvents;
import io.rdma4j.verbs.spi.CqOps;
import io.rdma4j.verbs.spi.CqSetup;
import io.rdma4j.verbs.spi.DmOps;
import io.rdma4j.verbs.spi.DmaOps;
import io.rdma4j.verbs.spi.PdOps;
import io.rdma4j.verbs.spi.XrcdOps;
import io.rdma4j.verbs.values.CqCreateFlag;
import io.rdma4j.verbs.values.DmaAttribute;
import io.rdma4j.verbs.values.DmaDirection;
import io.rdma4j.verbs.values.Flags;
import io.rdma4j.verbs.values.XrcdInitAttributes;
import io.rdma4j.verbs.wr.CompletionField;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An open device on the server. Corresponds to {@code struct rxe_context}. */
final class ClientContext implements ContextOps {
    private final String device;
    private final ClientSession session;
    private final ClientSubnet subnet;

    /**
     * @param device name of the device
     * @param sessions opens further ones
     */
    ClientContext(String device, ClientSession session, Supplier<ClientSession> sessions) {
        this.device = device;
        this.session = session;
        this.subnet = new ClientSubnet(session, sessions);
    }

    @Override
    public boolean isRemote() {
        return true;
    }

    @Override
    public <T> @Nullable T extension(Class<T> type) {
        return type.isInstance(subnet) ? type.cast(subnet) : ClientCm.extension(session, type);
    }

    @Override
    public int completionVectors() {
        return session.completionVectors();
    }

    @Override
    public boolean understandsOptionalAccess() {
        return session.understandsOptionalAccess();
    }

    @Override
    public DeviceAttributes queryDevice() {
        return session.description().attributes();
    }

    /** A server of version 2 does not send the fields; they are then the standard ones. */
    @Override
    public Set<CompletionField> completionFields() {
        return session.description().fields();
    }

    @Override
    public Set<CqCreateFlag> completionQueueFlags() {
        return session.description().flags();
    }

    private Message atPort(CommandType command, int port) {
        return session.call(new Message(command).put(CommandAttribute.PORT, port));
    }

    private Message atPort(CommandType command, int port, int index) {
        return session.call(
                new Message(command).put(CommandAttribute.PORT, port).put(CommandAttribute.INDEX, index));
    }

    @Override
    public PortAttributes queryPort(int port) {
        return atPort(CommandType.QUERY_PORT, port).getRecord(CommandAttribute.PORT_ATTRIBUTES, PortAttributes.class);
    }

    @Override
    public Map<String, Long> queryHwCounters(int port) {
        return RecordCodec.decodeMap(atPort(CommandType.QUERY_COUNTERS, port).getBytes(CommandAttribute.COUNTERS));
    }

    @Override
    public @Nullable GidEntry queryGid(int port, int index) {
        try {
            return atPort(CommandType.QUERY_GID, port, index).getRecord(CommandAttribute.GID_ENTRY, GidEntry.class);
        } catch (RdmaException e) {
            if (e.errno() == Errno.ENODATA) {
                return null;
            }
            throw e;
        }
    }

    @Override
    public int queryPkey(int port, int index) {
        return atPort(CommandType.QUERY_PKEY, port, index).get(CommandAttribute.PKEY);
    }

    /** In a file, because the server must map the memory too. */
    @Override
    public MemorySegment allocateBuffer(long length, long alignment, Arena arena) {
        return ClientFiles.allocate(session.folder(), length, alignment, arena);
    }

    @Override
    public PdOps allocatePd() {
        return new ClientPd(
                session, session.call(new Message(CommandType.ALLOC_PD)).get(CommandAttribute.HANDLE));
    }

    @Override
    public CqOps createCq(CqSetup attributes, CqEvents cqEvents) {
        ClientPd.refuse(attributes.queueMemory());
        long number = session.registerQueue(cqEvents);
        try {
            return new ClientCq(session, number, attributes);
        } catch (RuntimeException e) {
            session.forget(number);
            throw e;
        }
    }

    @Override
    public int localDmaLkey() {
        return session.call(new Message(CommandType.QUERY_LOCAL_DMA_LKEY)).get(CommandAttribute.LKEY);
    }

    @Override
    public XrcdOps openXrcDomain(XrcdInitAttributes attributes) {
        return ClientXrcd.open(session, attributes);
    }

    @Override
    public DmOps allocateDeviceMemory(long length, long alignment) {
        Message answer = session.call(new Message(CommandType.ALLOC_DM)
                .putLong(CommandAttribute.SIZE, length)
                .put(CommandAttribute.LOG_ALIGNMENT, Long.numberOfTrailingZeros(alignment)));
        return new ClientDm(session, answer.get(CommandAttribute.HANDLE));
    }

    @Override
    public DmaOps mapDma(MemorySegment segment, DmaDirection direction, Set<DmaAttribute> attributes) {
        Message request = new Message(CommandType.MAP_DMA)
                .put(CommandAttribute.DMA_DIRECTION, direction.ordinal())
                .put(CommandAttribute.DMA_ATTRIBUTES, (int) Flags.mask(attributes, one -> 1L << one.ordinal()));
        Message answer = session.call(ClientMemory.put(request, List.of(segment)));
        return new ClientDma(
                session, answer.get(CommandAttribute.HANDLE), answer.getLong(CommandAttribute.DMA_ADDRESS));
    }

    /** Does nothing: the server's threads drive the device. */
    @Override
    public void beforeBlocking() {}

    @Override
    public void close() {
        session.close();
    }

    @Override
    public String toString() {
        return device;
    }
}
