// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.neighbour;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.device.DeviceFlag;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.packet.SkBuff;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The neighbours on a device's link by IP address, of both IP versions ({@code struct neigh_table}).
 *
 * <p>Belongs to the owner of the device's loop, except for {@link #invalidate}. Sending to a known neighbour allocates
 * nothing. An entry is allocated for the first packet to an address, or when a station first requests one of ours.
 */
public final class NeighbourTable {
    /** Sends a solicitation for a neighbour's link address ({@code neigh_ops->solicit}). */
    @FunctionalInterface
    public interface Solicitor {
        /**
         * Sends to the known link address if it is valid; else to all stations, or to the solicited-node group of the
         * address.
         *
         * @param neighbour of the table
         */
        void solicit(Neighbour neighbour);
    }

    private final NetDevice device;
    private final NeighbourSettings settings;
    private final NanoClock clock;
    private final Solicitor solicitor;
    private final StackChanges changes;
    private final NeighbourHashTable entries = new NeighbourHashTable();
    private final ResolvedPackets resolved;
    private volatile boolean invalid;
    private long nextDeadlineNs = Deadline.NEVER;
    private long unresolved;
    private long failed;
    private long full;

    /**
     * Creates an empty table.
     *
     * @param device its link has the neighbours
     * @param settings limits and times
     * @param clock of the loop
     * @param solicitor asks for link addresses
     * @param changes noted when packets wait for the device, or a deadline is earlier than before
     */
    public NeighbourTable(
            NetDevice device, NeighbourSettings settings, NanoClock clock, Solicitor solicitor, StackChanges changes) {
        this.device = device;
        this.settings = settings;
        this.resolved = new ResolvedPackets(device, Math.multiplyExact(settings.capacity(), settings.queueLength()));
        this.clock = clock;
        this.solicitor = solicitor;
        this.changes = changes;
    }

    /**
     * {@return number of packets that were dropped because the link address of their destination was not resolved
     * ({@code unresolved_discards})}
     */
    public long unresolved() {
        return unresolved;
    }

    /** {@return number of resolutions that failed ({@code res_failed})} */
    public long failed() {
        return failed;
    }

    /** {@return number of times that the table had no room for a further neighbour ({@code table_fulls})} */
    public long full() {
        return full;
    }

    /** {@return the neighbours, a copy in any order ({@code ip neigh show})} */
    public List<Neighbour> list() {
        return entries.list();
    }

    /**
     * {@return the neighbour with {@code address} ({@code neigh_lookup}); null if there is no entry}
     *
     * @param address on the link
     */
    public @Nullable Neighbour find(Gid address) {
        return find(address.prefix(), address.interfaceId());
    }

    @Nullable
    Neighbour find(long prefix, long interfaceId) {
        return entries.find(prefix, interfaceId);
    }

    /**
     * Adds a permanent entry for {@code address} ({@code ip neigh replace … nud permanent}); replaces the link address
     * of an existing one. Sends the packets that wait for it.
     *
     * @param address on the link
     * @param mac 48 bits
     * @throws RdmaException EINVAL for a multicast address, or an invalid station address; ENOSPC if the table is full
     */
    public void add(Gid address, long mac) {
        if (address.isMulticast() || !MacAddress.isValid(mac)) {
            throw new RdmaException(
                    Errno.EINVAL,
                    MacAddress.toString(mac) + " cannot answer to " + address + ": both must be one station's");
        }
        Neighbour n = findOrCreate(address);
        if (n == null) {
            throw new RdmaException(
                    Errno.ENOSPC, "the table has " + entries.size() + " neighbours, none of which can go");
        }
        n.mac = mac;
        enter(n, NeighbourState.PERMANENT);
        sendWaiting(n);
    }

    /**
     * Removes the entry of {@code address} ({@code neigh_delete}) and drops packets that wait for it; does nothing if
     * there is no entry.
     *
     * @param address on the link
     */
    public void remove(Gid address) {
        Neighbour n = find(address);
        if (n != null) {
            remove(n);
        }
    }

    /**
     * Makes the owner of the loop remove all entries that are not permanent, because the link has changed ({@code
     * neigh_ifdown}). Any thread.
     */
    public void invalidate() {
        invalid = true;
    }

    private void forgetIfInvalid() {
        if (invalid) {
            invalid = false;
            for (Neighbour n : entries.list()) {
                if (n.state != NeighbourState.PERMANENT) {
                    remove(n);
                }
            }
        }
    }

    /**
     * Adds the link header in front of an IP packet to {@code destination} ({@code ip_finish_output2}); an IP device
     * has none. If the link address is not known, the packet waits in the table, at most {@link
     * NeighbourSettings#queueLength} packets for each neighbour. Later the table sends the packet, or drops and counts
     * it.
     *
     * @param skb belongs to the table if the result is false
     * @param destination address on the link, or a group
     * @return true if the caller must send the packet; false if the table has taken it
     */
    public boolean resolve(SkBuff skb, Gid destination) {
        forgetIfInvalid();
        long mac = device.macAddress();
        if (destination.isMulticast()) {
            mac = device.link().format().ofGroup(destination);
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
     * As {@link #resolve(SkBuff, Gid)}, for a packet with a route.
     *
     * @param skb begins with its IP header
     * @param to the next hop of the route
     * @return true if the caller must send the packet; false if the table has taken it, or it was dropped
     */
    public boolean resolve(SkBuff skb, NextHop to) {
        forgetIfInvalid();
        Gid hop = to.address();
        if (!asks() || hop.isMulticast()) {
            return resolve(skb, hop);
        }
        long mac = MacAddress.BROADCAST;
        if (!to.isBroadcast()) {
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

    /**
     * Solicits the link address of a neighbour if it is not known, without a packet for it ({@code neigh_event_send}).
     *
     * @param to the next hop of a route
     * @return true if packets to it can be sent now
     */
    public boolean request(NextHop to) {
        forgetIfInvalid();
        if (!asks() || to.address().isMulticast() || to.isBroadcast()) {
            return true;
        }
        Neighbour n = findOrCreate(to.address());
        if (n == null) {
            return false;
        }
        n.usedNs = clock.nanoTime();
        if (!n.state.isConnected()) {
            advance(n, NeighbourEvent.SEND);
        }
        return n.state.isValid();
    }

    /**
     * False on a link without link addresses, and on a device without resolution ({@code IFF_NOARP}), which sends
     * frames to its own address.
     */
    private boolean asks() {
        return device.linkType().hasAddresses() && !device.flags().has(DeviceFlag.NOARP);
    }

    private static int protocolOf(Gid address) {
        return address.isIpv4() ? EtherType.IPV4 : EtherType.IPV6;
    }

    /** Returns the link address for a packet, or 0 if the table has taken the packet ({@code neigh_event_send}). */
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
     * Handles a packet with a neighbour's link address ({@code neigh_update}).
     *
     * @param confirmed true if the packet replies to our solicitation
     * @param claim effect of a link address that differs from the known one
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

    /** True if the link address is older than {@code locktime}, so that another one may replace it. */
    boolean mayMove(Neighbour n) {
        return clock.nanoTime() - n.updatedNs > settings.lockNs();
    }

    private void advance(Neighbour n, NeighbourEvent event) {
        NeighbourState next = NeighbourTransitions.after(n.state, event);
        // A reply renews the reachable time, even if the state stays the same.
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
        changes.note();
    }

    /** Sends the packets that wait for the link address, if it is valid. */
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
     * Sends packets whose neighbours have been resolved, until the device is busy.
     *
     * @return true if no such packet is left
     */
    public boolean flush() {
        boolean flushed = resolved.flush();
        if (!flushed) {
            changes.note();
        }
        return flushed;
    }

    /**
     * {@return time at which {@link #onTimeout} must be called, nanoseconds of the clock, or {@link Deadline#NEVER}}
     * The call may have nothing to do.
     */
    public long nextDeadlineNs() {
        return nextDeadlineNs;
    }

    /**
     * Runs the timers of neighbours that are due ({@code neigh_timer_handler}).
     *
     * @param nowNs nanoseconds of the table's clock
     */
    public void onTimeout(long nowNs) {
        forgetIfInvalid();
        nextDeadlineNs = Deadline.NEVER;
        for (Neighbour n = entries.first(); n != null; n = entries.next(n)) {
            if (Deadline.isDue(n.deadlineNs, nowNs)) {
                expire(n, nowNs);
            }
            nextDeadlineNs = Deadline.earlier(nextDeadlineNs, n.deadlineNs);
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
     * Drops the packets that wait in the table and match {@code condition}.
     *
     * @param condition called for each packet; must not change it
     * @return number of dropped packets
     */
    public int dropWaiting(Predicate<? super SkBuff> condition) {
        int dropped = resolved.drop(condition);
        for (Neighbour n = entries.first(); n != null; n = entries.next(n)) {
            dropped += n.waiting.purge(condition);
        }
        unresolved += dropped;
        return dropped;
    }

    /**
     * Returns the entry of an address, which it creates if there is none ({@code neigh_create}). Returns null, and
     * counts it, if the table is full.
     */
    @Nullable
    Neighbour findOrCreate(Gid address) {
        Neighbour known = find(address);
        return known == null ? create(address) : known;
    }

    private @Nullable Neighbour create(Gid address) {
        if (entries.size() >= settings.capacity() && !evict()) {
            full++;
            return null;
        }
        Neighbour n =
                new Neighbour(address, settings.queueLength(), device.driver().neighbourAttachment(address));
        n.usedNs = clock.nanoTime();
        n.updatedNs = n.usedNs;
        entries.add(n);
        return n;
    }

    /**
     * Removes the least recently used entry that is not permanent or being resolved ({@code neigh_forced_gc}); false if
     * there is none.
     */
    private boolean evict() {
        Neighbour oldest = null;
        for (Neighbour n : entries.list()) {
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

    private void remove(Neighbour gone) {
        gone.isGone = true;
        unresolved += gone.waiting.purge();
        entries.remove(gone);
    }
}
