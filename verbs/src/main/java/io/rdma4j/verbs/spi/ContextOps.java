package io.rdma4j.verbs.spi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.CompletionField;
import io.rdma4j.verbs.CqCreateFlag;
import io.rdma4j.verbs.CqInitAttributes;
import io.rdma4j.verbs.DeviceAttributes;
import io.rdma4j.verbs.DmaAttribute;
import io.rdma4j.verbs.DmaDirection;
import io.rdma4j.verbs.GidEntry;
import io.rdma4j.verbs.PortAttributes;
import io.rdma4j.verbs.PortInfo;
import io.rdma4j.verbs.PortModification;
import io.rdma4j.verbs.PortNotice;
import io.rdma4j.verbs.XrcdInitAttributes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An open device ({@code struct verbs_context_ops}). Any thread may call.
 *
 * <p>Port numbers and table indices are in range when they arrive here.
 */
public interface ContextOps extends AutoCloseable {
    /** {@return what carries the packets, in a few words for the log; empty if there is nothing to say} */
    default String carrier() {
        return "";
    }

    /** {@return threads among which completion queues can be spread ({@code num_comp_vectors}); at least 1} */
    default int completionVectors() {
        return 1;
    }

    /**
     * Answers to {@code ibv_query_device}.
     *
     * @return attributes and limits, unmodifiable
     */
    DeviceAttributes queryDevice();

    /**
     * Answers to {@code ibv_query_port}.
     *
     * @param port from 1, one that there is
     * @return state and tables of this moment
     */
    PortAttributes queryPort(int port);

    /**
     * {@code modify_port}: all of it or nothing.
     *
     * @param port from 1, one that there is
     * @param change what the device has the capabilities for
     * @throws RdmaException EINVAL for a capability of the port that nobody can set or clear
     */
    default void modifyPort(int port, PortModification change) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no ports that can be modified");
    }

    /**
     * Answers to {@link io.rdma4j.verbs.Port#info}.
     *
     * @param port from 1, one that there is
     * @return what management sees of the port
     */
    default PortInfo queryPortInfo(int port) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no ports that can be managed");
    }

    /**
     * {@link io.rdma4j.verbs.Port#setInfo}: all of it or nothing; {@code initType} is not looked at.
     *
     * @param port from 1, one that there is
     * @param info checked for what can follow the port's state
     */
    default void setPortInfo(int port, PortInfo info) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no ports that can be managed");
    }

    /**
     * {@link io.rdma4j.verbs.Port#measureLatency}; called only if the port has the capability.
     *
     * @param port from 1, one that there is
     * @param peer a GID of the other port
     * @param timeout how long to wait for the answer
     * @return nanoseconds there and back
     */
    default long measureLatency(int port, Gid peer, Duration timeout) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device cannot measure its link");
    }

    /**
     * Answers to {@link io.rdma4j.verbs.Port#pollNotice}.
     *
     * @param port from 1, one that there is
     * @return the oldest notice, or null
     */
    default @Nullable PortNotice pollNotice(int port) {
        return null;
    }

    /**
     * Answers to {@link io.rdma4j.verbs.Context#queryHwCounters}.
     *
     * @param port from 1, one that there is
     * @return names and values, unmodifiable
     */
    default Map<String, Long> queryHwCounters(int port) {
        return Map.of();
    }

    /**
     * {@return a slot of the GID table; null if it is empty} Answers to {@code ibv_query_gid_ex}.
     *
     * @param port from 1, one that there is
     * @param index slot of the table, from 0, one that there is
     */
    @Nullable
    GidEntry queryGid(int port, int index);

    /**
     * {@return a slot of the P_Key table: 16 bits, 0 if it is empty} Answers to {@code ibv_query_pkey}.
     *
     * @param port from 1, one that there is
     * @param index slot of the table, from 0, one that there is
     */
    int queryPkey(int port, int index);

    /**
     * Answers to {@code ibv_alloc_pd}.
     *
     * @return what the core makes a protection domain of
     */
    PdOps allocatePd();

    /** {@return what completions can carry} */
    default Set<CompletionField> completionFields() {
        return CompletionField.STANDARD;
    }

    /** {@return the flags that completion queues can be made with} */
    default Set<CqCreateFlag> completionQueueFlags() {
        return Set.of();
    }

    /**
     * Answers to {@code ibv_create_cq_ex}.
     *
     * @param attributes entries within the device's limit, a vector below {@link #completionVectors()}, fields and flags that it
     *     has, no buffer
     * @param events where notifications are to be told
     * @return what the core makes a completion queue of
     */
    CqOps createCq(CqInitAttributes attributes, CqEvents events);

    /**
     * The same in memory of the program ({@code create_cq_umem}).
     *
     * @param attributes as above, with a buffer
     * @param events where notifications are to be told
     * @return what the core makes a completion queue of
     * @throws RdmaException EINVAL if the provider allocates completion queues itself, or the memory is not fit for it
     */
    default CqOps createCqInBuffer(CqInitAttributes attributes, CqEvents events) {
        throw new RdmaException(Errno.EINVAL, "this device allocates completion queues itself: leave out the buffer");
    }

    /**
     * {@return the reserved L_Key} Answers to {@code local_dma_lkey}; called only if the device has
     * {@link io.rdma4j.verbs.DeviceCapability#LOCAL_DMA_LKEY}.
     */
    default int localDmaLkey() {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no reserved L_Key");
    }

    /**
     * {@code ibv_open_xrcd}; called only if the device has {@link io.rdma4j.verbs.DeviceCapability#XRC}.
     *
     * @param attributes which one; contexts of the device that name the same file get the same domain
     * @return one opening of it: what the core makes an XRC domain of
     * @throws RdmaException ENOENT if the file is not there, EAGAIN if the domain is not there and not to be made, EINVAL if it is there and
     *     must not be
     */
    default XrcdOps openXrcDomain(XrcdInitAttributes attributes) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no XRC domains");
    }

    /**
     * {@return true if the device makes something of {@linkplain AccessFlag#isOptional optional} rights; else it never
     * sees them}
     */
    default boolean understandsOptionalAccess() {
        return false;
    }

    /**
     * {@link io.rdma4j.verbs.Context#allocateBuffer}; by default, the memory is like any other.
     *
     * @param length bytes, at least 1
     * @param alignment bytes, a power of two
     * @param arena whose end is that of the memory
     * @return memory filled with zeros
     */
    default MemorySegment allocateBuffer(long length, long alignment, Arena arena) {
        return arena.allocate(length, alignment);
    }

    /**
     * {@code ibv_alloc_dm}; called only if the device has {@link io.rdma4j.verbs.DeviceLimit#MAX_DM_SIZE}.
     *
     * @param length bytes, 1 to that limit
     * @param alignment bytes, a power of two
     * @return what the core makes device memory of
     * @throws RdmaException ENOMEM if the device has not as much left
     */
    default DmOps allocateDeviceMemory(long length, long alignment) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no memory of its own");
    }

    /**
     * {@code ibv_create_rwq_ind_table}; called only if the device has
     * {@link io.rdma4j.verbs.DeviceLimit#MAX_RWQ_INDIRECTION_TABLES}.
     *
     * @param queues what the provider made: a power of two within the device's limit, the same one perhaps several times
     * @return what the core makes a table of
     */
    default RwqTableOps createRwqIndirectionTable(List<WqOps> queues) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no indirection tables of receive queues");
    }

    /**
     * {@return one mapping; of a list it is asked one after another} Answers to {@code ib_dma_map_single}.
     *
     * @param segment native, not empty, alive and accessible from every thread; not read-only if the device writes
     * @param direction what the device may do, and nothing else
     * @param attributes with {@link DmaAttribute#SKIP_CPU_SYNC} it may do so after {@link DmaOps#syncForDevice} only
     * @throws RdmaException ENOMEM if it has no addresses left
     */
    default DmaOps mapDma(MemorySegment segment, DmaDirection direction, Set<DmaAttribute> attributes) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device maps no memory");
    }

    /**
     * Looks at a source of work in each turn of the thread that drives the device.
     *
     * @param source called by that thread, and by those that are about to sleep
     * @return ends it when it is closed
     * @throws RdmaException EOPNOTSUPP if no thread drives the device that could look at it
     */
    default PollRegistration addPollSource(PollSource source) {
        throw new RdmaException(Errno.EOPNOTSUPP, "no thread drives this device that could poll for its clients");
    }

    /**
     * A thread is about to sleep until an event comes, so it will not drive the device any more: the provider must see to
     * it that somebody else does. Called each time before the sleep, must not block.
     */
    void beforeBlocking();

    /** The sleep that {@link #beforeBlocking} announced, or {@link #sleep} left to the caller, is over. */
    default void afterBlocking() {}

    /**
     * A thread wants to sleep until an event comes. The provider may let it sleep where the device's work arrives, so that this wakes it
     * without another thread in between; the thread then does the work. Otherwise this is {@link #beforeBlocking}.
     *
     * @param timeoutNs how long at most, nanoseconds, more than 0
     * @param over true if there is no reason to sleep; asked by the calling thread after {@link #wakeSleeper} would wake it
     * @return true if it has slept, perhaps for less than that, or had no reason to; false if the caller is to sleep by itself
     */
    default boolean sleep(long timeoutNs, BooleanSupplier over) {
        beforeBlocking();
        return false;
    }

    /** What a thread in {@link #sleep} waits for may have come: it returns. Any thread. */
    default void wakeSleeper() {}

    /** {@code ibv_close_device}; everything made from the context has been closed. */
    @Override
    void close();
}
