// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.GidEntry;
import io.rdma4j.verbs.device.PortAttributes;
import io.rdma4j.verbs.device.PortInfo;
import io.rdma4j.verbs.device.PortModification;
import io.rdma4j.verbs.device.PortNotice;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.CqCreateFlag;
import io.rdma4j.verbs.values.DmaAttribute;
import io.rdma4j.verbs.values.DmaDirection;
import io.rdma4j.verbs.values.XrcdInitAttributes;
import io.rdma4j.verbs.wr.CompletionField;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The provider's part of an open device ({@code struct verbs_context_ops}). Any thread.
 *
 * <p>The core has checked port numbers and table indexes.
 */
public interface ContextOps extends AutoCloseable {
    /** {@return a short description of the transport for the log; empty for none} */
    default String carrier() {
        return "";
    }

    /** {@return true if the device belongs to another process, which serves it} */
    default boolean isRemote() {
        return false;
    }

    /**
     * {@return what the provider offers to another module of the project, or null} Corresponds to the private commands
     * of a driver.
     *
     * @param <T> type of the offer
     * @param type an interface of the other module
     */
    default <T> @Nullable T extension(Class<T> type) {
        return null;
    }

    /**
     * {@return number of threads over which completion queues can be distributed ({@code num_comp_vectors}); at least
     * 1}
     */
    default int completionVectors() {
        return 1;
    }

    /**
     * Returns the attributes and limits. Corresponds to {@code ibv_query_device}.
     *
     * @return attributes and limits, unmodifiable
     */
    DeviceAttributes queryDevice();

    /**
     * Returns the present state and tables of a port. Corresponds to {@code ibv_query_port}.
     *
     * @param port an existing port, from 1
     * @return a snapshot
     */
    PortAttributes queryPort(int port);

    /**
     * Changes attributes of a port, all or none. Corresponds to {@code modify_port}.
     *
     * @param port an existing port, from 1
     * @param change changes that the device has the capabilities for
     * @throws RdmaException EINVAL for a capability of the port that cannot be set or cleared
     */
    default void modifyPort(int port, PortModification change) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no ports that can be modified");
    }

    /**
     * Returns the PortInfo of a port. Corresponds to {@link io.rdma4j.verbs.Port#info}.
     *
     * @param port an existing port, from 1
     * @return the attribute PortInfo
     */
    default PortInfo queryPortInfo(int port) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no ports that can be managed");
    }

    /**
     * Writes the PortInfo of a port, all values or none; ignores {@code initType}. Corresponds to
     * {@link io.rdma4j.verbs.Port#setInfo}.
     *
     * @param port an existing port, from 1
     * @param info the provider checks that its state may follow the port's present state
     */
    default void setPortInfo(int port, PortInfo info) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no ports that can be managed");
    }

    /**
     * Measures the round-trip time to another port. Corresponds to {@link io.rdma4j.verbs.Port#measureLatency}; called
     * only if the port has the capability.
     *
     * @param port an existing port, from 1
     * @param peer a GID of the other port
     * @param timeout maximum time to wait for the answer
     * @return round-trip time in ns
     */
    default long measureLatency(int port, Gid peer, Duration timeout) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device cannot measure its link");
    }

    /**
     * Removes the oldest notice of a port. Corresponds to {@link io.rdma4j.verbs.Port#pollNotice}.
     *
     * @param port an existing port, from 1
     * @return the oldest notice, or null
     */
    default @Nullable PortNotice pollNotice(int port) {
        return null;
    }

    /**
     * Returns the counters of a port. Corresponds to {@link io.rdma4j.verbs.Context#queryHwCounters}.
     *
     * @param port an existing port, from 1
     * @return names and values, unmodifiable
     */
    default Map<String, Long> queryHwCounters(int port) {
        return Map.of();
    }

    /**
     * {@return an entry of the GID table; null if the slot is empty} Corresponds to {@code ibv_query_gid_ex}.
     *
     * @param port an existing port, from 1
     * @param index an existing slot of the table, from 0
     */
    @Nullable
    GidEntry queryGid(int port, int index);

    /**
     * {@return an entry of the P_Key table: 16 bits, 0 if the slot is empty} Corresponds to {@code ibv_query_pkey}.
     *
     * @param port an existing port, from 1
     * @param index an existing slot of the table, from 0
     */
    int queryPkey(int port, int index);

    /**
     * Allocates a protection domain. Corresponds to {@code ibv_alloc_pd}.
     *
     * @return the provider's part of the domain
     */
    PdOps allocatePd();

    /** {@return the fields that completions can have} */
    default Set<CompletionField> completionFields() {
        return CompletionField.STANDARD;
    }

    /** {@return the supported create flags of completion queues} */
    default Set<CqCreateFlag> completionQueueFlags() {
        return Set.of();
    }

    /**
     * Creates a completion queue. Corresponds to {@code ibv_create_cq_ex}.
     *
     * @param attributes entries within the device's limit, a vector below {@link #completionVectors()}, supported
     *     fields and flags, no buffer
     * @param events callbacks for notifications and errors
     * @return the provider's part of the queue
     */
    CqOps createCq(CqSetup attributes, CqEvents events);

    /**
     * Creates a completion queue in memory of the application ({@code create_cq_umem}).
     *
     * @param attributes as for {@link #createCq}, with a buffer
     * @param events callbacks for notifications and errors
     * @return the provider's part of the queue
     * @throws RdmaException EINVAL if the provider allocates completion queues itself, or the memory is too small or
     *     misaligned
     */
    default CqOps createCqInBuffer(CqSetup attributes, CqEvents events) {
        throw new RdmaException(Errno.EINVAL, "this device allocates completion queues itself: leave out the buffer");
    }

    /**
     * {@return the reserved L_Key} Corresponds to {@code local_dma_lkey}; called only if the device has
     * {@link io.rdma4j.verbs.device.DeviceCapability#LOCAL_DMA_LKEY}.
     */
    default int localDmaLkey() {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no reserved L_Key");
    }

    /**
     * Opens an XRC domain. Corresponds to {@code ibv_open_xrcd}; called only if the device has
     * {@link io.rdma4j.verbs.device.DeviceCapability#XRC}.
     *
     * @param attributes identifies the domain; contexts of the device with the same file get the same domain
     * @return the provider's part of one opening
     * @throws RdmaException ENOENT if the file does not exist, EAGAIN if the domain does not exist and {@code create}
     *     is false, EINVAL if it exists and {@code exclusive} is true
     */
    default XrcdOps openXrcDomain(XrcdInitAttributes attributes) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no XRC domains");
    }

    /**
     * {@return true if the device supports {@linkplain AccessFlag#isOptional optional} rights; otherwise the core
     * removes them}
     */
    default boolean understandsOptionalAccess() {
        return false;
    }

    /**
     * Allocates a buffer for {@link io.rdma4j.verbs.Context#allocateBuffer}; by default ordinary memory.
     *
     * @param length bytes, at least 1
     * @param alignment bytes, a power of two
     * @param arena arena of the memory
     * @return zeroed memory
     */
    default MemorySegment allocateBuffer(long length, long alignment, Arena arena) {
        return arena.allocate(length, alignment);
    }

    /**
     * Allocates device memory. Corresponds to {@code ibv_alloc_dm}; called only if the device has
     * {@link io.rdma4j.verbs.device.DeviceLimit#MAX_DM_SIZE}.
     *
     * @param length bytes, 1 to that limit
     * @param alignment bytes, a power of two
     * @return the provider's part of the device memory
     * @throws RdmaException ENOMEM if the device has too little memory left
     */
    default DmOps allocateDeviceMemory(long length, long alignment) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no memory of its own");
    }

    /**
     * Creates an indirection table. Corresponds to {@code ibv_create_rwq_ind_table}; called only if the device has
     * {@link io.rdma4j.verbs.device.DeviceLimit#MAX_RWQ_INDIRECTION_TABLES}.
     *
     * @param queues work queues of this provider: a power of two within the device's limit; a queue may occur several
     *     times
     * @return the provider's part of the table
     */
    default RwqTableOps createRwqIndirectionTable(List<WqOps> queues) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device has no indirection tables of receive queues");
    }

    /**
     * {@return a mapping of one segment; the core maps the segments of a list one after another} Corresponds to
     * {@code ib_dma_map_single}.
     *
     * @param segment native, not empty, alive and accessible from every thread; not read-only if the device writes
     * @param direction the only accesses that the device may make
     * @param attributes with {@link DmaAttribute#SKIP_CPU_SYNC} the device may access the memory only after
     *     {@link DmaOps#syncForDevice}
     * @throws RdmaException ENOMEM if the device has no addresses left
     */
    default DmaOps mapDma(MemorySegment segment, DmaDirection direction, Set<DmaAttribute> attributes) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device maps no memory");
    }

    /**
     * Adds a source of work that the thread that drives the device polls in each run.
     *
     * @param source called by that thread, and by threads before they sleep
     * @return the registration; the caller closes it to remove the source
     * @throws RdmaException EOPNOTSUPP if no thread drives the device
     */
    default PollRegistration addPollSource(PollSource source) {
        throw new RdmaException(Errno.EOPNOTSUPP, "no thread drives this device that could poll for its clients");
    }

    /**
     * Called by a thread before it sleeps until an event. Such a thread does not drive the device, so the provider must
     * make another thread drive it. Must not block.
     */
    void beforeBlocking();

    /** Called after the sleep that followed {@link #beforeBlocking}, or a {@link #sleep} that returned false. */
    default void afterBlocking() {}

    /**
     * Sleeps until an event, if the provider supports it. The provider may let the calling thread wait for the device's
     * work itself, so that the work wakes it without a second thread switch; the thread then does the work. The default
     * only calls {@link #beforeBlocking}.
     *
     * @param timeoutNs maximum time in ns, more than 0
     * @param over true if there is no reason to sleep; the calling thread evaluates it once {@link #wakeSleeper} can
     *     wake it
     * @return true if the thread has slept, possibly shorter than {@code timeoutNs}, or had no reason to; false if the
     *     caller must sleep by itself
     */
    default boolean sleep(long timeoutNs, BooleanSupplier over) {
        beforeBlocking();
        return false;
    }

    /** Makes threads in {@link #sleep} return, because the event that they wait for may have occurred. Any thread. */
    default void wakeSleeper() {}

    /** Closes the device. Corresponds to {@code ibv_close_device}; the core has closed all objects of the context. */
    @Override
    void close();
}
