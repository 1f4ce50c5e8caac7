package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.ContextEvents;
import io.rdma4j.verbs.spi.ContextOps;
import io.rdma4j.verbs.spi.DmOps;
import io.rdma4j.verbs.spi.PollRegistration;
import io.rdma4j.verbs.spi.PollSource;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An open device. Answers to {@code struct ibv_context}.
 *
 * <p>Any thread may call. Objects made from different contexts do not mix. The caller of {@link Device#open} closes it,
 * after everything that was made from it.
 *
 * <p>Errors that go without saying, here and in whatever is made from a context: EINVAL for an object that is closed, for null
 * and for objects of another context; EIO for what needs the device once it is gone.
 *
 * {@snippet :
 * try (Context context = Rdma.open("rxe_lo");
 *         ProtectionDomain pd = context.allocatePd();
 *         CompletionQueue cq = context.createCq(128)) {
 *     Gid here = context.queryGid(1, 0);                                // what a peer needs as an address
 *     long most = context.queryDevice().limit(DeviceLimit.MAX_QP_WR);   // how deep its queues can be
 * }
 * }
 */
public final class Context implements AutoCloseable {
    private static final int MAX_LOG_ALIGNMENT = 30;

    private final Device device;
    private final Owner owner;
    private final Lifecycle life;
    private final AsyncEvents events;
    private final List<TrapRegistration> traps = new CopyOnWriteArrayList<>();
    private final AtomicInteger lastHandle = new AtomicInteger();
    private final DmaTable dma = new DmaTable(this);
    private final Admission admission;
    private final DeviceShare.Opening opening;
    private final ContextOps ops;
    private final PortTables ports;

    /** @param opener opens the device for this context */
    Context(Device device, Owner owner, Function<ContextEvents, DeviceShare.Opening> opener) {
        this.device = device;
        this.owner = owner;
        this.life = new Lifecycle("context of " + device.name());
        this.events = new AsyncEvents(life);
        this.admission = new Admission(this);
        this.opening = opener.apply(new Told());
        this.ops = opening.ops();
        this.ports = new PortTables(this);
    }

    /** What the device tells. */
    private final class Told implements ContextEvents {
        @Override
        public void event(EventType type, int port) {
            events.dispatch(AsyncEvent.of(type, Context.this, port), null);
        }

        @Override
        public void trap(PortNotice notice) {
            traps.forEach(registration -> registration.deliver(notice));
        }
    }

    /** {@return the device that was opened} Answers to {@code device}. */
    public Device device() {
        return device;
    }

    /** {@return who opened it} */
    public Owner owner() {
        return owner;
    }

    /**
     * {@return among how many progress threads completion queues can be spread} Answers to {@code num_comp_vectors}.
     */
    public int completionVectors() {
        return ops.completionVectors();
    }

    /**
     * {@return what the device can do, and its limits} Answers to {@code ibv_query_device}.
     *
     * @throws RdmaException EINVAL if the context is closed, EIO once the device is gone
     */
    public DeviceAttributes queryDevice() {
        life.checkUsable();
        return ops.queryDevice();
    }

    /**
     * {@return state and tables of a port} Answers to {@code ibv_query_port}.
     *
     * @param port from 1
     * @throws RdmaException EINVAL if there is no such port
     */
    public PortAttributes queryPort(int port) {
        return ports.attributes(port);
    }

    /**
     * {@return a port, for who manages it} Answers to the {@code device, port_num} of {@code ib_modify_port}.
     *
     * @param number from 1
     * @throws RdmaException EINVAL if there is no such port
     */
    public Port port(int number) {
        ports.check(number);
        return new Port(this, number);
    }

    /**
     * {@return what the device counts at a port: names and values, each from 0 upwards, in the device's order; a
     * snapshot whose values may be a little old} Answers to {@code ports/N/hw_counters} in sysfs and
     * {@code rdma statistic show}.
     *
     * @param port from 1
     * @throws RdmaException EINVAL if there is no such port
     */
    public Map<String, Long> queryHwCounters(int port) {
        ports.check(port);
        return ops.queryHwCounters(port);
    }

    /**
     * {@return what carries the packets of a port} Answers to {@code rdma_port_get_link_layer}.
     *
     * @param port from 1
     */
    public LinkLayer linkLayer(int port) {
        return queryPort(port).linkLayer();
    }

    /**
     * {@return a slot of the GID table; {@link Gid#ZERO} if it is empty} Answers to {@code ibv_query_gid}.
     *
     * @param port from 1
     * @param index slot of the GID table, from 0
     * @throws RdmaException EINVAL if there is no such port or slot
     */
    public Gid queryGid(int port, int index) {
        GidEntry entry = ports.gid(port, index);
        return entry == null ? Gid.ZERO : entry.gid();
    }

    /**
     * {@return a slot of the GID table} Answers to {@code ibv_query_gid_ex}.
     *
     * @param port from 1
     * @param index slot of the GID table, from 0
     * @throws RdmaException EINVAL if there is no such port or slot, ENODATA if it is empty
     */
    public GidEntry queryGidEntry(int port, int index) {
        GidEntry entry = ports.gid(port, index);
        if (entry == null) {
            throw new RdmaException(Errno.ENODATA, "slot " + index + " of the GID table of port " + port + " is empty");
        }
        return entry;
    }

    /** {@return the occupied slots of all GID tables, by port and index} Answers to {@code ibv_query_gid_table}. */
    public List<GidEntry> queryGidTable() {
        return ports.gids();
    }

    /**
     * {@return the first slot that holds a GID} Answers to {@code ib_find_gid}.
     *
     * @param gid any
     * @throws RdmaException EINVAL for null, or if the context is closed
     */
    public Optional<GidEntry> findGid(Gid gid) {
        Arguments.present("gid", gid);
        return ports.gids().stream().filter(entry -> entry.gid().equals(gid)).findFirst();
    }

    /**
     * {@return a slot of the P_Key table: 16 bits} Answers to {@code ibv_query_pkey}.
     *
     * @param port from 1
     * @param index slot of the P_Key table, from 0
     * @throws RdmaException EINVAL if there is no such port or slot
     */
    public int queryPkey(int port, int index) {
        return ports.pkey(port, index);
    }

    /**
     * {@return the slot that holds a P_Key} Answers to {@code ibv_get_pkey_index}.
     *
     * @param port from 1
     * @param pkey 16 bits, bit 15 for a full member
     * @throws RdmaException EINVAL if there is no such port, ENOENT if no slot holds it
     */
    public int pkeyIndex(int port, int pkey) {
        return ports.pkeyIndex(port, pkey);
    }

    /**
     * Makes a protection domain. Answers to {@code ibv_alloc_pd}.
     *
     * @return the domain; to be closed before the context
     * @throws RdmaException ENOMEM at the device's limit
     */
    public ProtectionDomain allocatePd() {
        return admission.create(
                ObjectKind.PROTECTION_DOMAIN,
                DeviceLimit.MAX_PD,
                () -> new ProtectionDomain(this, nextHandle(), ops.allocatePd()));
    }

    /**
     * Makes a channel for the events of completion queues. Answers to {@code ibv_create_comp_channel}.
     *
     * @return the channel; to be closed before the context
     * @throws RdmaException EINVAL if the context is closed, EIO once the device is gone
     */
    public CompletionChannel createCompletionChannel() {
        return life.admit(ObjectKind.COMPLETION_CHANNEL, () -> new CompletionChannel(this, nextHandle()));
    }

    /**
     * Makes a completion queue that is only polled; see {@link #createCq(CqInitAttributes)}.
     *
     * @param entries how many completions it holds at least: 1 to {@code max_cqe}
     * @return the queue; to be closed before the context
     */
    public CompletionQueue createCq(int entries) {
        return createCq(CqInitAttributes.of(entries));
    }

    /**
     * Makes a completion queue with a channel; see {@link #createCq(CqInitAttributes)}.
     *
     * @param entries how many completions it holds at least: 1 to {@code max_cqe}
     * @param channel where its events go; null for none
     * @return the queue; to be closed before channel and context
     */
    public CompletionQueue createCq(int entries, @Nullable CompletionChannel channel) {
        return createCq(CqInitAttributes.of(entries, channel, 0));
    }

    /**
     * Makes a completion queue with a channel on a vector; see {@link #createCq(CqInitAttributes)}.
     *
     * @param entries how many completions it holds at least: 1 to {@code max_cqe}
     * @param channel where its events go; null for none
     * @param vector {@code comp_vector}: 0 to {@link #completionVectors} - 1
     * @return the queue; to be closed before channel and context
     */
    public CompletionQueue createCq(int entries, @Nullable CompletionChannel channel, int vector) {
        return createCq(CqInitAttributes.of(entries, channel, vector));
    }

    /**
     * Makes a completion queue. Answers to {@code ibv_create_cq_ex}.
     *
     * @param attributes what it shall hold and tell
     * @return the queue; to be closed before channel and context
     * @throws RdmaException EINVAL if the entries are not in 1..{@code max_cqe}, there is no such vector, the channel is
     *     closed or of another context, or the buffer is not fit for it; EOPNOTSUPP if the device has not all of the fields and
     *     flags; ENOMEM at the device's limit
     */
    public CompletionQueue createCq(CqInitAttributes attributes) {
        Arguments.present("attributes", attributes);
        CqCreation.check(this, attributes);
        Supplier<CompletionQueue> maker = () -> admission.create(
                ObjectKind.COMPLETION_QUEUE,
                DeviceLimit.MAX_CQ,
                () -> new CompletionQueue(this, nextHandle(), attributes, ops));
        CompletionChannel channel = attributes.channel();
        return channel == null ? maker.get() : channel.life().admit(ObjectKind.COMPLETION_QUEUE, maker);
    }

    /**
     * Opens an XRC domain of this context alone. Answers to {@code ibv_open_xrcd} with {@code fd} -1.
     *
     * @return the domain; to be closed before the context
     * @throws RdmaException EOPNOTSUPP if the device has no XRC
     */
    public XrcDomain openXrcDomain() {
        return openXrcDomain(XrcdInitAttributes.ofContext());
    }

    /**
     * Opens an XRC domain, which contexts share that name the same file. Answers to {@code ibv_open_xrcd}.
     *
     * @param attributes which one
     * @return this context's opening of the domain; to be closed before the context. The domain lives until all are closed
     * @throws RdmaException EOPNOTSUPP if the device has no XRC; ENOENT if the file is not there; EAGAIN if the domain is not open and not to be
     *     made; EINVAL if it is open and exclusive was set
     */
    public XrcDomain openXrcDomain(XrcdInitAttributes attributes) {
        Arguments.present("attributes", attributes);
        admission.require(DeviceCapability.XRC);
        return life.admit(
                ObjectKind.XRC_DOMAIN, () -> new XrcDomain(this, nextHandle(), ops.openXrcDomain(attributes)));
    }

    /** {@return what completion queues of the device can carry in their completions} */
    public Set<CompletionField> completionFields() {
        return ops.completionFields();
    }

    /** {@return the flags that completion queues of the device can be made with} */
    public Set<CqCreateFlag> completionQueueFlags() {
        return ops.completionQueueFlags();
    }

    /**
     * Has the thread that drives the device look at a source of work in each turn: for who serves the device to other processes.
     *
     * @param source called by the thread that drives the device
     * @return ends it when it is closed, before the context is
     * @throws RdmaException EINVAL if the context is closed, EIO once the device is gone, EOPNOTSUPP if the device cannot
     */
    public PollRegistration addPollSource(PollSource source) {
        life.checkUsable();
        Arguments.present("source", source);
        return ops.addPollSource(source);
    }

    /**
     * Allocates memory where the device reaches it best, filled with zeros; it is to be registered like any other. Messages that are sent from such
     * memory to another process of this machine are copied once and not twice.
     *
     * @param lengthBytes at least 1
     * @param alignment bytes, a power of two
     * @param arena whose end is that of the memory; not one that is confined to a thread
     * @return memory of this length, writable from every thread
     * @throws RdmaException EINVAL for a length or an alignment that cannot be
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
     * Takes memory of the device itself. Answers to {@code ibv_alloc_dm}.
     *
     * @param lengthBytes 1 to {@code max_dm_size}
     * @param logAlignment the memory begins at a multiple of 2 to this power: 0 to 30
     * @return the memory; to be closed before the context
     * @throws RdmaException EOPNOTSUPP if the device has none; EINVAL for a size or alignment that cannot be; ENOMEM if there
     *     is not as much left
     */
    public DeviceMemory allocateDeviceMemory(long lengthBytes, int logAlignment) {
        admission.require(DeviceLimit.MAX_DM_SIZE);
        Arguments.range("length", lengthBytes, 1, queryDevice().limit(DeviceLimit.MAX_DM_SIZE));
        Arguments.atMost("log_align_req", logAlignment, MAX_LOG_ALIGNMENT);
        return life.admit(ObjectKind.DEVICE_MEMORY, () -> {
            DmOps memory = ops.allocateDeviceMemory(lengthBytes, 1L << logAlignment);
            return new DeviceMemory(this, nextHandle(), lengthBytes, memory);
        });
    }

    /**
     * Makes a table of receive queues, over which queue pairs spread what they receive. Answers to
     * {@code ibv_create_rwq_ind_table}.
     *
     * @param queues a power of two of them; one may stand in several places
     * @return the table; to be closed before the queues
     * @throws RdmaException EOPNOTSUPP if the device has none; EINVAL for another number of queues or one above
     *     {@code max_rwq_indirection_table_size}, and for queues that are closed or of another context; ENOMEM at the device's
     *     limit
     */
    public RwqIndirectionTable createRwqIndirectionTable(List<WorkQueue> queues) {
        Arguments.allPresent("queues", queues);
        admission.require(DeviceLimit.MAX_RWQ_INDIRECTION_TABLES);
        return RwqIndirectionTable.create(this, List.copyOf(queues));
    }

    /** {@return which memory the device reaches, and by which addresses: the calls {@code ib_dma_*}} */
    public DmaTable dma() {
        return dma;
    }

    /**
     * {@return the reserved L_Key: good in every protection domain for what {@link #dma} has mapped, without a region,
     * and for nothing that a peer asks for} Answers to {@code local_dma_lkey}.
     *
     * @throws RdmaException EOPNOTSUPP if the device lacks {@link DeviceCapability#LOCAL_DMA_LKEY}; a
     *     {@linkplain ProtectionDomain#dmaRegion DMA region} does the same for one domain
     */
    public int localDmaLkey() {
        admission.require(DeviceCapability.LOCAL_DMA_LKEY);
        return ops.localDmaLkey();
    }

    /**
     * Waits for an asynchronous event; each one fetched must be acknowledged. Answers to {@code ibv_get_async_event}.
     *
     * @return the event, to be given to {@link #acknowledgeAsyncEvent}
     * @throws RdmaException EINVAL if the context is closed, even while waiting
     * @throws InterruptedException if the thread was interrupted before an event came; none is lost
     */
    public AsyncEvent getAsyncEvent() throws InterruptedException {
        return events.deliver(events.queue().take(ops));
    }

    /**
     * As {@link #getAsyncEvent()}; null when the time is over. With a zero timeout it does not wait.
     *
     * @param timeout how long to wait at most; zero only looks
     * @return the event, to be given to {@link #acknowledgeAsyncEvent}, or null
     * @throws InterruptedException if the thread was interrupted before an event came; none is lost
     * @throws RdmaException EINVAL if the context is closed, even while waiting
     */
    public @Nullable AsyncEvent getAsyncEvent(Duration timeout) throws InterruptedException {
        AsyncEvent event = events.queue().poll(Arguments.nanoseconds(timeout), ops);
        return event == null ? null : events.deliver(event);
    }

    /**
     * The program has dealt with an event it fetched. Answers to {@code ibv_ack_async_event}.
     *
     * @param event what {@link #getAsyncEvent()} returned
     * @throws RdmaException EINVAL if no event of that object waits for it, or it belongs to another context
     */
    public void acknowledgeAsyncEvent(AsyncEvent event) {
        Arguments.present("event", event);
        checkSame(event.context(), event);
        events.acknowledge(event);
    }

    /** {@return events lost because the program did not fetch them; handlers were called all the same} */
    public long droppedAsyncEvents() {
        return events.dropped();
    }

    /**
     * Calls {@code handler} at each asynchronous event, besides queueing it; on the device's thread, so it must
     * neither block nor change objects of the device. Needs no acknowledgement. Answers to {@code ib_register_event_handler}.
     *
     * @param handler called once an event, perhaps by several threads of the device
     * @return what takes it back
     * @throws RdmaException EINVAL if the context is closed
     */
    public EventRegistration registerEventHandler(Consumer<AsyncEvent> handler) {
        Arguments.present("handler", handler);
        life.checkOpen();
        EventRegistration registration = new EventRegistration(this, handler);
        events.register(registration);
        return registration;
    }

    /**
     * Takes a handler back that was registered, as {@link EventRegistration#close} does; answers to {@code ib_unregister_event_handler}.
     *
     * @param handler the same object that was registered
     * @throws RdmaException EINVAL if the same object was not registered
     */
    public void unregisterEventHandler(Consumer<AsyncEvent> handler) {
        Arguments.present("handler", handler);
        if (!events.unregister(handler)) {
            throw new RdmaException(Errno.EINVAL, "this event handler is not registered");
        }
    }

    /** The device is gone. */
    void remove() {
        life.remove();
        events.dispatch(AsyncEvent.of(EventType.DEVICE_FATAL, this, 0), null);
    }

    /** What its ports have; read by the checks of other verbs. */
    PortTables ports() {
        return ports;
    }

    /** Who gets the traps of the ports. */
    List<TrapRegistration> traps() {
        return traps;
    }

    AsyncEvents asyncEvents() {
        return events;
    }

    /** How the device was opened. */
    DeviceShare.Opening opening() {
        return opening;
    }

    ContextOps ops() {
        return ops;
    }

    Lifecycle life() {
        return life;
    }

    /** What of its objects the device has room for, and what it can do. */
    Admission admission() {
        return admission;
    }

    int nextHandle() {
        return lastHandle.incrementAndGet();
    }

    /** @throws RdmaException EINVAL unless {@code other} is this context */
    void checkSame(Context other, Object owned) {
        if (other != this) {
            throw new RdmaException(Errno.EINVAL, owned + " belongs to another context");
        }
    }

    /**
     * Closes the device for this context. Idempotent. Answers to {@code ibv_close_device}.
     *
     * @throws RdmaException EBUSY while something made from it is open; the message says what
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
