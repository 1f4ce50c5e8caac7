package io.rdma4j.net.ip;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.DeviceFlag;
import io.rdma4j.net.EtherType;
import io.rdma4j.net.LinkType;
import io.rdma4j.net.NetDevice;
import io.rdma4j.packet.SkBuff;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Who answers to which IP address on the link of a device ({@code struct neigh_table}), of both IP versions.
 *
 * <p>Belongs to the owner of the device's loop, but for {@link #invalidate}. To a neighbour that is known, sending allocates
 * nothing; an entry is made when an address is first sent to, or first asks for one of ours.
 */
public final class NeighbourTable {
    private static final int BUCKETS = 256;
    private static final long GOLDEN_RATIO = 0x9E37_79B9_7F4A_7C15L;
    private static final int BUCKET_SHIFT = Long.SIZE - Integer.numberOfTrailingZeros(BUCKETS);

    /** Asks a neighbour who has its address ({@code neigh_ops->solicit}). */
    @FunctionalInterface
    interface Solicitor {
        /** All stations, or the group of the address, if its link address is not known; else the station that had it. */
        void solicit(Neighbour neighbour);
    }

    private final NetDevice device;
    private final NeighbourSettings settings;
    private final NanoClock clock;
    private final Solicitor solicitor;
    private final @Nullable Neighbour[] buckets = new Neighbour[BUCKETS];
    private final ResolvedPackets resolved;
    private volatile boolean invalid;
    private int size;
    private long nextDeadlineNs = Deadline.NEVER;
    private long unresolved;
    private long failed;
    private long full;

    NeighbourTable(NetDevice device, NeighbourSettings settings, NanoClock clock, Solicitor solicitor) {
        this.device = device;
        this.settings = settings;
        this.resolved = new ResolvedPackets(device, Math.multiplyExact(settings.capacity(), settings.queueLength()));
        this.clock = clock;
        this.solicitor = solicitor;
    }

    /**
     * {@return packets that were dropped because it did not become known who answers to their destination
     * ({@code unresolved_discards})}
     */
    public long unresolved() {
        return unresolved;
    }

    /** {@return how often nobody answered ({@code res_failed})} */
    public long failed() {
        return failed;
    }

    /** {@return how often there was no room for a further neighbour ({@code table_fulls})} */
    public long full() {
        return full;
    }

    /** {@return the neighbours, a copy in no order ({@code ip neigh show})} */
    public List<Neighbour> list() {
        List<Neighbour> all = new ArrayList<>(size);
        for (Neighbour first : buckets) {
            for (Neighbour n = first; n != null; n = n.next) {
                all.add(n);
            }
        }
        return all;
    }

    /**
     * {@return the neighbour at {@code address} ({@code neigh_lookup}); null if there is no entry}
     *
     * @param address on the link
     */
    public @Nullable Neighbour find(Gid address) {
        return find(address.prefix(), address.interfaceId());
    }

    @Nullable
    Neighbour find(long prefix, long interfaceId) {
        Neighbour n = buckets[bucket(prefix, interfaceId)];
        while (n != null && !n.is(prefix, interfaceId)) {
            n = n.next;
        }
        return n;
    }

    /**
     * Makes the station {@code mac} answer to {@code address} for good ({@code ip neigh replace … nud permanent}), in the place
     * of another one if need be.
     *
     * @param address on the link
     * @param mac 48 bits
     * @throws RdmaException EINVAL for an address of a group, or a station that is none; ENOSPC if the table is full
     */
    public void add(Gid address, long mac) {
        if (address.isMulticast() || !MacAddress.isValid(mac)) {
            throw new RdmaException(
                    Errno.EINVAL,
                    MacAddress.toString(mac) + " cannot answer to " + address + ": both must be one station's");
        }
        Neighbour n = findOrCreate(address);
        if (n == null) {
            throw new RdmaException(Errno.ENOSPC, "the table has " + size + " neighbours, none of which can go");
        }
        n.mac = mac;
        enter(n, NeighbourState.PERMANENT);
        sendWaiting(n);
    }

    /**
     * Forgets who answers to {@code address} ({@code neigh_delete}); nothing happens if nobody does.
     *
     * @param address on the link
     */
    public void remove(Gid address) {
        Neighbour n = find(address);
        if (n != null) {
            remove(n);
        }
    }

    /** All that was learned is to be forgotten, because the link is not what it was ({@code neigh_ifdown}). Any thread. */
    void invalidate() {
        invalid = true;
    }

    private void forgetIfInvalid() {
        if (invalid) {
            invalid = false;
            for (Neighbour n : list()) {
                if (n.state != NeighbourState.PERMANENT) {
                    remove(n);
                }
            }
        }
    }

    /**
     * Puts the link header in front of an IP packet that is to go to {@code destination} ({@code ip_finish_output2}): none on an
     * IP device. While it is not known who answers there, the packet waits for that, at most {@link NeighbourSettings#queueLength}
     * of them; it is sent then, or dropped and counted.
     *
     * @param skb the table's if it is not sent now
     * @param destination on the link, or a group
     * @return true: the caller sends the packet; false: the table has taken it
     */
    public boolean resolve(SkBuff skb, Gid destination) {
        forgetIfInvalid();
        long mac = device.macAddress();
        if (destination.isMulticast()) {
            mac = MacAddress.ofGroup(destination);
        } else if (asks()) {
            mac = stationOf(skb, findOrCreate(destination));
            if (MacAddress.isZero(mac)) {
                return false;
            }
        }
        device.pushLinkHeader(skb, protocolOf(destination), mac);
        return true;
    }

    /**
     * The same for a packet on a route, which remembers the neighbour: no look-up while that stays in the table.
     *
     * @return as {@link #resolve(SkBuff, Gid)}
     */
    boolean resolve(SkBuff skb, Destination to) {
        forgetIfInvalid();
        Gid hop = to.nextHop();
        if (!asks() || hop.isMulticast()) {
            return resolve(skb, hop);
        }
        long mac = MacAddress.BROADCAST;
        if (to.type() != RouteType.BROADCAST) {
            Neighbour n = to.neighbour;
            if (n == null || n.isGone) {
                n = findOrCreate(hop);
                to.neighbour = n;
            }
            mac = stationOf(skb, n);
            if (MacAddress.isZero(mac)) {
                return false;
            }
        }
        device.pushLinkHeader(skb, protocolOf(hop), mac);
        return true;
    }

    /** False on a link without addresses, and on one where nobody is to be asked ({@code IFF_NOARP}): frames go to our own address there. */
    private boolean asks() {
        return device.linkType() == LinkType.ETHERNET && !device.flags().has(DeviceFlag.NOARP);
    }

    private static int protocolOf(Gid address) {
        return address.isIpv4() ? EtherType.IPV4 : EtherType.IPV6;
    }

    /** Where a packet goes, or 0 if the table has taken it ({@code neigh_event_send}). */
    private long stationOf(SkBuff skb, @Nullable Neighbour n) {
        if (n == null) {
            unresolved++;
            skb.free();
            return 0;
        }
        n.usedNs = clock.nanoTime();
        if (!n.state.isConnected()) {
            advance(n, NeighbourEvent.SEND);
        }
        if (n.state.isValid()) {
            return n.mac;
        }
        if (n.enqueue(skb)) {
            unresolved++;
        }
        return 0;
    }

    /**
     * Something was heard of a neighbour's link address ({@code neigh_update}).
     *
     * @param confirmed it is the answer to a question of ours
     * @param claim what another link address than the one that is known counts for
     */
    void update(Neighbour n, long mac, boolean confirmed, LinkClaim claim) {
        if (n.state == NeighbourState.PERMANENT) {
            return;
        }
        boolean differs = n.state.isValid() && mac != n.mac;
        if (differs && claim == LinkClaim.WEAK) {
            advance(n, NeighbourEvent.DOUBTED);
        } else if (!differs || claim == LinkClaim.STRONG) {
            learn(n, mac, confirmed ? NeighbourEvent.CONFIRMED : differs ? NeighbourEvent.MOVED : NeighbourEvent.HEARD);
        }
    }

    private void learn(Neighbour n, long mac, NeighbourEvent event) {
        NeighbourState before = n.state;
        boolean changed = n.mac != mac;
        n.mac = mac;
        advance(n, event);
        if (changed || n.state != before) {
            n.updatedNs = clock.nanoTime();
        }
        sendWaiting(n);
    }

    /** True if the link address was learned so long ago that another one is believed ({@code locktime}). */
    boolean mayMove(Neighbour n) {
        return clock.nanoTime() - n.updatedNs > settings.lockNs();
    }

    private void advance(Neighbour n, NeighbourEvent event) {
        NeighbourState next = NeighbourTransitions.after(n.state, event);
        // An answer counts anew even if it changes nothing.
        if (next != n.state || event == NeighbourEvent.CONFIRMED) {
            enter(n, next);
        }
    }

    private void enter(Neighbour n, NeighbourState state) {
        n.state = state;
        n.probes = 0;
        switch (state) {
            case REACHABLE -> schedule(n, settings.reachableNs());
            case DELAY -> schedule(n, settings.delayNs());
            case INCOMPLETE, PROBE -> ask(n);
            case FAILED -> {
                n.deadlineNs = Deadline.NEVER;
                failed++;
                unresolved += n.waiting.purge();
            }
            case NONE, STALE, PERMANENT -> n.deadlineNs = Deadline.NEVER;
        }
    }

    private void ask(Neighbour n) {
        n.probes++;
        schedule(n, settings.retransmitNs());
        solicitor.solicit(n);
    }

    private void schedule(Neighbour n, long delayNs) {
        n.deadlineNs = Deadline.after(clock.nanoTime(), delayNs);
        nextDeadlineNs = Deadline.earlier(nextDeadlineNs, n.deadlineNs);
    }

    /** Its link address is known: what waited for it goes there. */
    private void sendWaiting(Neighbour n) {
        if (!n.state.isValid() || n.waiting.isEmpty()) {
            return;
        }
        if (!n.state.isConnected()) {
            advance(n, NeighbourEvent.SEND);
        }
        for (SkBuff skb = n.waiting.dequeue(); skb != null; skb = n.waiting.dequeue()) {
            device.pushLinkHeader(skb, protocolOf(n.address()), n.mac);
            if (!resolved.add(skb)) {
                unresolved++;
                skb.free();
            }
        }
        flush();
    }

    /**
     * Sends what waited for an answer that has come, as far as the device takes it.
     *
     * @return true if nothing of it is left
     */
    public boolean flush() {
        return resolved.flush();
    }

    /** {@return when {@link #onTimeout} is to be called, or {@link Deadline#NEVER}; there may be nothing to do then} */
    public long nextDeadlineNs() {
        return nextDeadlineNs;
    }

    /**
     * Does what is due ({@code neigh_timer_handler}); {@code nowNs} is what the table's clock says.
     *
     * @param nowNs of the loop's clock
     */
    public void onTimeout(long nowNs) {
        forgetIfInvalid();
        nextDeadlineNs = Deadline.NEVER;
        for (Neighbour first : buckets) {
            for (Neighbour n = first; n != null; n = n.next) {
                if (Deadline.isDue(n.deadlineNs, nowNs)) {
                    expire(n, nowNs);
                }
                nextDeadlineNs = Deadline.earlier(nextDeadlineNs, n.deadlineNs);
            }
        }
    }

    private void expire(Neighbour n, long nowNs) {
        switch (n.state) {
            case REACHABLE -> {
                boolean inUse = nowNs - n.usedNs <= settings.delayNs();
                advance(n, inUse ? NeighbourEvent.EXPIRED_IN_USE : NeighbourEvent.EXPIRED_IDLE);
            }
            case DELAY -> advance(n, NeighbourEvent.DELAY_OVER);
            case INCOMPLETE, PROBE -> {
                int most = n.state.isValid() ? settings.unicastProbes() : settings.multicastProbes();
                if (n.probes < most) {
                    ask(n);
                } else {
                    advance(n, NeighbourEvent.UNANSWERED);
                }
            }
            case NONE, STALE, FAILED, PERMANENT -> n.deadlineNs = Deadline.NEVER;
        }
    }

    /**
     * Drops the packets that wait here and {@code condition} holds of.
     *
     * @param condition asked of each; changes nothing
     * @return how many there were
     */
    public int dropWaiting(Predicate<? super SkBuff> condition) {
        int dropped = resolved.drop(condition);
        for (Neighbour head : buckets) {
            for (Neighbour n = head; n != null; n = n.next) {
                dropped += n.waiting.purge(condition);
            }
        }
        unresolved += dropped;
        return dropped;
    }

    /** The entry of an address ({@code neigh_create} if there is none); null, counted, if there is no room for one. */
    @Nullable
    Neighbour findOrCreate(Gid address) {
        Neighbour known = find(address);
        return known == null ? create(address) : known;
    }

    private @Nullable Neighbour create(Gid address) {
        if (size >= settings.capacity() && !evict()) {
            full++;
            return null;
        }
        Neighbour n =
                new Neighbour(address, settings.queueLength(), device.driver().neighbourAttachment(address));
        n.usedNs = clock.nanoTime();
        n.updatedNs = n.usedNs;
        int bucket = bucket(address.prefix(), address.interfaceId());
        n.next = buckets[bucket];
        buckets[bucket] = n;
        size++;
        return n;
    }

    /** Forgets the neighbour that was not sent to for longest ({@code neigh_forced_gc}); false if none can go. */
    private boolean evict() {
        Neighbour oldest = null;
        for (Neighbour n : list()) {
            boolean canGo = n.state != NeighbourState.PERMANENT && !n.state.isAsking();
            if (canGo && (oldest == null || n.usedNs - oldest.usedNs < 0)) {
                oldest = n;
            }
        }
        if (oldest == null) {
            return false;
        }
        remove(oldest);
        return true;
    }

    @SuppressWarnings("ReferenceEquality") // an entry is itself
    private void remove(Neighbour gone) {
        gone.isGone = true;
        unresolved += gone.waiting.purge();
        int bucket = bucket(gone.address().prefix(), gone.address().interfaceId());
        Neighbour before = null;
        Neighbour n = buckets[bucket];
        while (n != null && n != gone) {
            before = n;
            n = n.next;
        }
        if (before == null) {
            buckets[bucket] = gone.next;
        } else {
            before.next = gone.next;
        }
        size--;
    }

    private static int bucket(long prefix, long interfaceId) {
        return (int) ((prefix * 31 + interfaceId) * GOLDEN_RATIO >>> BUCKET_SHIFT);
    }
}
