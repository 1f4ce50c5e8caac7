// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.Arguments;
import io.rdma4j.verbs.core.EventCounter;
import io.rdma4j.verbs.core.Lifecycle;
import io.rdma4j.verbs.core.ObjectKind;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.device.GidEntry;
import io.rdma4j.verbs.device.LinkLayer;
import io.rdma4j.verbs.device.PortAttributes;
import io.rdma4j.verbs.device.PortNotice;
import io.rdma4j.verbs.spi.ContextEvents;
import io.rdma4j.verbs.spi.ContextOps;
import io.rdma4j.verbs.spi.PollRegistration;
import io.rdma4j.verbs.spi.PollSource;
import io.rdma4j.verbs.state.Admission;
import io.rdma4j.verbs.state.AsyncEvents;
import io.rdma4j.verbs.state.ContextState;
import io.rdma4j.verbs.state.PortTables;
import io.rdma4j.verbs.state.ReceivedRoute;
import io.rdma4j.verbs.state.StateAccess;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.CqCreateFlag;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.Owner;
import io.rdma4j.verbs.values.Resource;
import io.rdma4j.verbs.values.XrcdInitAttributes;
import io.rdma4j.verbs.wr.CompletionField;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An open device. Corresponds to {@code struct ibv_context}.
 *
 * <p>Any thread. Objects of different contexts cannot be used together. The caller of {@link Device#open} closes the
 * context, after all objects that were created from it.
 *
 * <p>Errors common to all methods of this class and of objects created from it: EINVAL for a closed object, for null
 * and for an object of another context; EIO if the call requires the device and the device was removed.
 *
 * {@snippet :
 * try (Context context = Rdma.open("rxe_lo");
 *         ProtectionDomain pd = context.allocatePd();
 *         CompletionQueue cq = context.createCq(128)) {
 *     Gid here = context.queryGid(1, 0);                                // the address that a peer needs
 *     long most = context.queryDevice().limit(DeviceLimit.MAX_QP_WR);   // the maximum depth of its queues
 * }
 * }
 */
public final class Context implements AutoCloseable {
    private final Device device;
    private final Owner owner;
    private final Lifecycle life;
    private final AsyncEvents<AsyncEvent> events;

    /** Unacknowledged events of ports and of the device. */
    private final EventCounter asyncEventCounter = new EventCounter("asynchronous events");

    private final List<TrapRegistration> traps = new CopyOnWriteArrayList<>();
    private final List<Supplier<List<Resource>>> resourceSources = new CopyOnWriteArrayList<>();
    private final DeviceShare.Opening opening;
    private final ContextOps ops;
    private final ContextState state;

    static {
        StateAccess.setContexts(context -> ((Context) context).state);
    }

    /** @param opener opens the device for this context */
    Context(Device device, Owner owner, Function<ContextEvents, DeviceShare.Opening> opener) {
        this.device = device;
        this.owner = owner;
        this.life = new Lifecycle("context of " + device.name());
        this.events = new AsyncEvents<>(life, AsyncEvent::counter);
        this.opening = opener.apply(new Told());
        this.ops = opening.ops();
        this.state = new ContextState(
                device.name(),
                life,
                ops,
                device.quota(),
                device.register().of(this),
                (port, pkey) -> device.host().partitionPolicy().allows(device, port, pkey));
    }

    /** Receives the events and traps of the device. */
    private final class Told implements ContextEvents {
        @Override
        public void event(EventType type, int port) {
            if (type == EventType.GID_CHANGE) {
                device.addressesChanged();
            }
            events.dispatch(AsyncEvent.of(type, Context.this, port), null);
        }

        @Override
        public void trap(PortNotice notice) {
            traps.forEach(registration -> registration.deliver(notice));
        }

        @Override
        public List<Resource> resources() {
            return addedResources();
        }
    }

    /**
     * Lets {@link Device#resources} show objects of another module, for example ids of rdma_cm, until the context is
     * closed.
     *
     * @param source lists them in the order of their creation; called by any thread, without a lock
     * @throws RdmaException EINVAL if {@code source} is null or the context is closed
     */
    public void addResources(Supplier<List<Resource>> source) {
        life.checkOpen();
        Arguments.present("source", source);
        resourceSources.add(source);
    }

    /** The objects of other modules. */
    List<Resource> addedResources() {
        return resourceSources.stream().flatMap(source -> source.get().stream()).toList();
    }

    /** {@return the device of this context} Corresponds to {@code device}. */
    public Device device() {
        return device;
    }

    /** {@return true if the device belongs to another process, which serves it to this one} */
    public boolean isRemote() {
        return ops.isRemote();
    }

    /**
     * {@return what the provider of the device offers to another module, or null if it has no such offer}
     *
     * @param <T> type of the offer
     * @param type an interface of the other module
     * @throws RdmaException EINVAL if {@code type} is null or the context is closed, EIO if the device was removed
     */
    public <T> @Nullable T extension(Class<T> type) {
        Arguments.present("type", type);
        life.checkUsable();
        return ops.extension(type);
    }

    /** {@return the owner that opened the device} */
    public Owner owner() {
        return owner;
    }

    /**
     * {@return the number of progress threads among which completion queues can be distributed} Corresponds to
     * {@code num_comp_vectors}.
     */
    public int completionVectors() {
        return ops.completionVectors();
    }

    /**
     * {@return true if the device takes the optional rights of a memory region ({@link
     * io.rdma4j.verbs.values.AccessFlag#isOptional}); otherwise they are dropped} Corresponds to {@code
     * IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS}.
     */
    public boolean understandsOptionalAccess() {
        return ops.understandsOptionalAccess();
    }

    /**
     * {@return capabilities and limits of the device} Corresponds to {@code ibv_query_device}.
     *
     * @throws RdmaException EINVAL if the context is closed, EIO if the device was removed
     */
    public DeviceAttributes queryDevice() {
        return state.queryDevice();
    }

    /**
     * {@return state and table sizes of a port} Corresponds to {@code ibv_query_port}.
     *
     * @param port port number, from 1
     * @throws RdmaException EINVAL if the port does not exist
     */
    public PortAttributes queryPort(int port) {
        return ports().attributes(port);
    }

    /**
     * {@return an object that manages a port} Corresponds to the arguments {@code device, port_num} of
     * {@code ib_modify_port}.
     *
     * @param number port number, from 1
     * @throws RdmaException EINVAL if the port does not exist
     */
    public Port port(int number) {
        ports().check(number);
        return new Port(this, number);
    }

    /**
     * {@return names and values of a port's counters, in the order of the device} Each counter starts at 0. The result
     * is a snapshot, whose values may be slightly out of date. Corresponds to {@code ports/N/hw_counters} in sysfs and
     * {@code rdma statistic show}.
     *
     * @param port port number, from 1
     * @throws RdmaException EINVAL if the port does not exist
     */
    public Map<String, Long> queryHwCounters(int port) {
        ports().check(port);
        return ops.queryHwCounters(port);
    }

    /**
     * {@return the link layer of a port} Corresponds to {@code rdma_port_get_link_layer}.
     *
     * @param port port number, from 1
     */
    public LinkLayer linkLayer(int port) {
        return queryPort(port).linkLayer();
    }

    /**
     * {@return an entry of the GID table; {@link Gid#ZERO} if it is empty} Corresponds to {@code ibv_query_gid}.
     *
     * @param port port number, from 1
     * @param index index in the GID table, from 0
     * @throws RdmaException EINVAL if the port or the index does not exist
     */
    public Gid queryGid(int port, int index) {
        GidEntry entry = ports().gid(port, index);
        return entry == null ? Gid.ZERO : entry.gid();
    }

    /**
     * {@return an entry of the GID table with its type} Corresponds to {@code ibv_query_gid_ex}.
     *
     * @param port port number, from 1
     * @param index index in the GID table, from 0
     * @throws RdmaException EINVAL if the port or the index does not exist, ENODATA if the entry is empty
     */
    public GidEntry queryGidEntry(int port, int index) {
        GidEntry entry = ports().gid(port, index);
        if (entry == null) {
            throw new RdmaException(Errno.ENODATA, "slot " + index + " of the GID table of port " + port + " is empty");
        }
        return entry;
    }

    /**
     * {@return the used entries of all GID tables, ordered by port and index} Corresponds to
     * {@code ibv_query_gid_table}.
     */
    public List<GidEntry> queryGidTable() {
        return ports().gids();
    }

    /**
     * {@return the first entry that contains a GID} Corresponds to {@code ib_find_gid}.
     *
     * @param gid the GID to find
     * @throws RdmaException EINVAL if {@code gid} is null or the context is closed
     */
    public Optional<GidEntry> findGid(Gid gid) {
        Arguments.present("gid", gid);
        return ports().gids().stream().filter(entry -> entry.gid().equals(gid)).findFirst();
    }

    /**
     * {@return an entry of the P_Key table: 16 bits} Corresponds to {@code ibv_query_pkey}.
     *
     * @param port port number, from 1
     * @param index index in the P_Key table, from 0
     * @throws RdmaException EINVAL if the port or the index does not exist
     */
    public int queryPkey(int port, int index) {
        return ports().pkey(port, index);
    }

    /**
     * {@return the index of a P_Key in the P_Key table} Corresponds to {@code ibv_get_pkey_index}.
     *
     * @param port port number, from 1
     * @param pkey 16 bits; bit 15 is set for full members
     * @throws RdmaException EINVAL if the port does not exist, ENOENT if the table does not contain the P_Key
     */
    public int pkeyIndex(int port, int pkey) {
        return ports().pkeyIndex(port, pkey);
    }

    /**
     * {@return the path to the sender of a received datagram} Corresponds to {@code ibv_init_ah_from_wc}.
     *
     * @param port port that received it, from 1
     * @param completion completion of the receive request
     * @param header the first 40 bytes of the receive buffer; read only if the completion has {@link
     *     io.rdma4j.verbs.wr.WcFlag#GRH}
     * @throws RdmaException EINVAL if the port does not exist, the receive failed, or the header is not a GRH, IPv6 or
     *     IPv4 header; ENOENT if the destination address of the datagram is not in the GID table, for example a
     *     multicast group
     */
    public AddressVector replyPath(int port, WorkCompletion completion, MemorySegment header) {
        life.checkUsable();
        Arguments.present("completion", completion);
        Arguments.present("header", header);
        return ReceivedRoute.replyPath(ports(), port, completion, header);
    }

    /**
     * Creates a protection domain. Corresponds to {@code ibv_alloc_pd}.
     *
     * @return the domain; the caller closes it before the context
     * @throws RdmaException ENOMEM at the device's limit
     */
    public ProtectionDomain allocatePd() {
        return admission()
                .create(
                        ObjectKind.PROTECTION_DOMAIN,
                        DeviceLimit.MAX_PD,
                        () -> new ProtectionDomain(this, nextHandle(), ops.allocatePd()));
    }

    /**
     * Creates a channel for the events of completion queues. Corresponds to {@code ibv_create_comp_channel}.
     *
     * @return the channel; the caller closes it before the context
     * @throws RdmaException EINVAL if the context is closed, EIO if the device was removed
     */
    public CompletionChannel createCompletionChannel() {
        return life.admit(ObjectKind.COMPLETION_CHANNEL, () -> new CompletionChannel(this, nextHandle()));
    }

    /**
     * Creates a completion queue without a channel; see {@link #createCq(CqInitAttributes)}.
     *
     * @param entries minimum capacity in completions: 1 to {@code max_cqe}
     * @return the queue; the caller closes it before the context
     */
    public CompletionQueue createCq(int entries) {
        return createCq(CqInitAttributes.of(entries));
    }

    /**
     * Creates a completion queue with a channel; see {@link #createCq(CqInitAttributes)}.
     *
     * @param entries minimum capacity in completions: 1 to {@code max_cqe}
     * @param channel channel that receives the queue's events; null for none
     * @return the queue; the caller closes it before the channel and the context
     */
    public CompletionQueue createCq(int entries, @Nullable CompletionChannel channel) {
        return createCq(CqInitAttributes.of(entries, channel, 0));
    }

    /**
     * Creates a completion queue with a channel and a completion vector; see {@link #createCq(CqInitAttributes)}.
     *
     * @param entries minimum capacity in completions: 1 to {@code max_cqe}
     * @param channel channel that receives the queue's events; null for none
     * @param vector {@code comp_vector}: 0 to {@link #completionVectors} - 1
     * @return the queue; the caller closes it before the channel and the context
     */
    public CompletionQueue createCq(int entries, @Nullable CompletionChannel channel, int vector) {
        return createCq(CqInitAttributes.of(entries, channel, vector));
    }

    /**
     * Creates a completion queue. Corresponds to {@code ibv_create_cq_ex}.
     *
     * @param attributes capacity, channel and options of the queue
     * @return the queue; the caller closes it before the channel and the context
     * @throws RdmaException EINVAL if the capacity is not in 1..{@code max_cqe}, the vector does not exist, the channel
     *     is closed or of another context, or the buffer is unsuitable; EOPNOTSUPP if the device does not support one
     *     of the fields or flags; ENOMEM at the device's limit
     */
    public CompletionQueue createCq(CqInitAttributes attributes) {
        Arguments.present("attributes", attributes);
        return CompletionQueue.create(this, attributes);
    }

    /**
     * Opens an XRC domain that no other context can share. Corresponds to {@code ibv_open_xrcd} with {@code fd} -1.
     *
     * @return the domain; the caller closes it before the context
     * @throws RdmaException EOPNOTSUPP if the device does not support XRC
     */
    public XrcDomain openXrcDomain() {
        return openXrcDomain(XrcdInitAttributes.ofContext());
    }

    /**
     * Opens an XRC domain. Contexts that name the same file share the domain. Corresponds to {@code ibv_open_xrcd}.
     *
     * @param attributes file and flags
     * @return this context's reference to the domain; the caller closes it before the context. The domain exists until
     *     the last reference is closed
     * @throws RdmaException EOPNOTSUPP if the device does not support XRC; ENOENT if the file does not exist; EAGAIN if
     *     the domain is not open and the attributes do not request its creation; EINVAL if it is open and the
     *     attributes request exclusive creation
     */
    public XrcDomain openXrcDomain(XrcdInitAttributes attributes) {
        Arguments.present("attributes", attributes);
        admission().require(DeviceCapability.XRC);
        return life.admit(
                ObjectKind.XRC_DOMAIN, () -> new XrcDomain(this, nextHandle(), ops.openXrcDomain(attributes)));
    }

    /** {@return the completion fields that the device supports} */
    public Set<CompletionField> completionFields() {
        return ops.completionFields();
    }

    /** {@return the creation flags of completion queues that the device supports} */
    public Set<CqCreateFlag> completionQueueFlags() {
        return ops.completionQueueFlags();
    }

    /**
     * Registers a source of work that the thread that drives the device polls in each run of its loop. Used by servers
     * that serve the device to other processes.
     *
     * @param source called by the thread that drives the device
     * @return the registration; the caller closes it before the context
     * @throws RdmaException EINVAL if the context is closed, EIO if the device was removed, EOPNOTSUPP if the device
     *     does not support poll sources
     */
    public PollRegistration addPollSource(PollSource source) {
        life.checkUsable();
        Arguments.present("source", source);
        return ops.addPollSource(source);
    }

    /**
     * Allocates zeroed memory at a location that is efficient for the device. The application registers it like other
     * memory. A message from such memory to another process on the same machine is copied once instead of twice.
     *
     * @param lengthBytes length in bytes, at least 1
     * @param alignment alignment in bytes, a power of two
     * @param arena arena that frees the memory; must not be confined to a thread
     * @return memory of this length, writable by every thread
     * @throws RdmaException EINVAL for an invalid length or alignment
     */
    public MemorySegment allocateBuffer(long lengthBytes, long alignment, Arena arena) {
        life.checkUsable();
        Arguments.present("arena", arena);
        Arguments.range("length", lengthBytes, 1, Long.MAX_VALUE);
        if (Long.bitCount(alignment) != 1) {
            throw new RdmaException(Errno.EINVAL, "alignment " + alignment + " is no power of two");
        }
        return ops.allocateBuffer(lengthBytes, alignment, arena);
    }

    /**
     * Allocates device memory. Corresponds to {@code ibv_alloc_dm}.
     *
     * @param lengthBytes length in bytes: 1 to {@code max_dm_size}
     * @param logAlignment binary logarithm of the alignment: 0 to 30
     * @return the memory; the caller closes it before the context
     * @throws RdmaException EOPNOTSUPP if the device has no such memory; EINVAL for an invalid length or alignment;
     *     ENOMEM if too little memory is free
     */
    public DeviceMemory allocateDeviceMemory(long lengthBytes, int logAlignment) {
        return DeviceMemory.create(this, lengthBytes, logAlignment);
    }

    /**
     * Creates an indirection table of receive queues, over which queue pairs distribute received packets. Corresponds
     * to {@code ibv_create_rwq_ind_table}.
     *
     * @param queues the queues; their number is a power of two, and a queue may occur several times
     * @return the table; the caller closes it before the queues
     * @throws RdmaException EOPNOTSUPP if the device does not support such tables; EINVAL for a number of queues that
     *     is not a power of two or exceeds {@code max_rwq_indirection_table_size}, and for queues that are closed or of
     *     another context; ENOMEM at the device's limit
     */
    public RwqIndirectionTable createRwqIndirectionTable(List<WorkQueue> queues) {
        Arguments.allPresent("queues", queues);
        admission().require(DeviceLimit.MAX_RWQ_INDIRECTION_TABLES);
        return RwqIndirectionTable.create(this, List.copyOf(queues));
    }

    /**
     * {@return the reserved L_Key} It is valid in every protection domain for the addresses of {@link
     * io.rdma4j.verbs.kernel.DmaMapping}s, without a memory region. It is not valid for requests of a peer. Corresponds
     * to {@code local_dma_lkey}.
     *
     * @throws RdmaException EOPNOTSUPP if the device lacks {@link DeviceCapability#LOCAL_DMA_LKEY}; a
     *     {@linkplain ProtectionDomain#dmaRegion DMA region} has the same effect for one domain
     */
    public int localDmaLkey() {
        admission().require(DeviceCapability.LOCAL_DMA_LKEY);
        return ops.localDmaLkey();
    }

    /**
     * Waits for an asynchronous event. The caller must acknowledge it. Corresponds to {@code ibv_get_async_event}.
     *
     * @return the event, to be passed to {@link #acknowledgeAsyncEvent}
     * @throws RdmaException EINVAL if the context is closed, also if that happens during the wait
     * @throws InterruptedException if the thread was interrupted before an event arrived; no event is lost
     */
    public AsyncEvent getAsyncEvent() throws InterruptedException {
        return events.deliver(events.queue().take(ops));
    }

    /**
     * As {@link #getAsyncEvent()}, with a timeout.
     *
     * @param timeout maximum time to wait; zero checks without waiting
     * @return the event, to be passed to {@link #acknowledgeAsyncEvent}, or null after the timeout
     * @throws InterruptedException if the thread was interrupted before an event arrived; no event is lost
     * @throws RdmaException EINVAL if the context is closed, also if that happens during the wait
     */
    public @Nullable AsyncEvent getAsyncEvent(Duration timeout) throws InterruptedException {
        AsyncEvent event = events.queue().poll(Arguments.nanoseconds(timeout), ops);
        return event == null ? null : events.deliver(event);
    }

    /**
     * Acknowledges an asynchronous event. Corresponds to {@code ibv_ack_async_event}.
     *
     * @param event an event that {@link #getAsyncEvent()} returned
     * @throws RdmaException EINVAL if the affected object has no unacknowledged event, or the event belongs to another
     *     context
     */
    public void acknowledgeAsyncEvent(AsyncEvent event) {
        Arguments.present("event", event);
        checkSame(event.context(), event);
        events.acknowledge(event);
    }

    /**
     * {@return the number of events that were dropped because the event queue was full; handlers were called for them
     * nevertheless}
     */
    public long droppedAsyncEvents() {
        return events.dropped();
    }

    /**
     * Registers a handler of asynchronous events, which are also queued for {@link #getAsyncEvent()}. The handler runs
     * on the device's thread, so it must neither block nor change objects of the device. Its events need no
     * acknowledgement. Corresponds to {@code ib_register_event_handler}.
     *
     * @param handler called once per event, possibly by several threads of the device
     * @return the registration; closing it removes the handler
     * @throws RdmaException EINVAL if the context is closed
     */
    public EventRegistration registerEventHandler(Consumer<AsyncEvent> handler) {
        Arguments.present("handler", handler);
        life.checkOpen();
        EventRegistration registration = new EventRegistration(this, handler);
        events.register(registration, handler);
        return registration;
    }

    /**
     * Removes one registration of a handler, as {@link EventRegistration#close} does. Corresponds to
     * {@code ib_unregister_event_handler}.
     *
     * @param handler the object that was registered
     * @throws RdmaException EINVAL if this object is not registered
     */
    public void unregisterEventHandler(Consumer<AsyncEvent> handler) {
        Arguments.present("handler", handler);
        if (!events.unregisterHandler(handler)) {
            throw new RdmaException(Errno.EINVAL, "this event handler is not registered");
        }
    }

    /** Marks the device as removed and raises {@link EventType#DEVICE_FATAL}. */
    void remove() {
        life.remove();
        events.dispatch(AsyncEvent.of(EventType.DEVICE_FATAL, this, 0), null);
    }

    /** The tables of the ports; used by the checks of other verbs. */
    PortTables ports() {
        return state.ports();
    }

    /** The registrations for traps of the ports(). */
    List<TrapRegistration> traps() {
        return traps;
    }

    EventCounter asyncEventCounter() {
        return asyncEventCounter;
    }

    AsyncEvents<AsyncEvent> asyncEvents() {
        return events;
    }

    DeviceShare.Opening opening() {
        return opening;
    }

    ContextOps ops() {
        return ops;
    }

    Lifecycle life() {
        return life;
    }

    Admission admission() {
        return state.admission();
    }

    ContextState state() {
        return state;
    }

    int nextHandle() {
        return state.nextHandle();
    }

    /** @throws RdmaException EINVAL unless {@code other} is this context */
    void checkSame(Context other, Object owned) {
        state.checkSame(other.state, owned);
    }

    /**
     * Closes the context. Idempotent. Corresponds to {@code ibv_close_device}.
     *
     * @throws RdmaException EBUSY while an object created from the context is open; the message names the kinds of
     *     objects
     */
    @Override
    public void close() {
        if (life.close()) {
            events.queue().wakeAll();
            ops.close();
            device.closed(this);
            device.host().life().release(ObjectKind.CONTEXT);
        }
    }

    @Override
    public String toString() {
        return life.name();
    }
}
