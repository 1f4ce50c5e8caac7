// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ipoib;

import io.rdma4j.base.Gid;
import io.rdma4j.base.MacAddress;
import io.rdma4j.net.address.LinkAddressFormat;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The hardware addresses that a device knows, each with a number of 48 bits for the IP stack: the index in a table,
 * below the turn in which the entry was made. So a number is never used for another address. When the table is full,
 * the entry that was used longest ago goes. Any thread.
 */
final class HardwareAddresses implements LinkAddressFormat {
    private static final int INDEX_BITS = 12;
    private static final int MAX_ENTRIES = 1 << INDEX_BITS;
    private static final int INDEX_MASK = MAX_ENTRIES - 1;

    /** Locally administered, and for groups the group bit, as in Ethernet addresses. */
    private static final long STATION = 0x0200_0000_0000L;

    private static final long GROUP = 0x0300_0000_0000L;
    private static final long TURN_MASK = 0xFF_FFFF_FFFFL >>> INDEX_BITS;

    private final int pkey;
    private final int capacity;
    private final List<Entry> table = new ArrayList<>();
    private final Map<HardwareAddress, Entry> byAddress = new HashMap<>();
    private final Map<Gid, Entry> byGroup = new HashMap<>();
    private final List<Peer> replaced = new ArrayList<>();
    private final Peer broadcast;
    private @Nullable Peer own;
    private long uses;
    private long turns;

    private static final class Entry {
        final Peer peer;

        /** The IP group, if the number was asked for by it. */
        @Nullable
        Gid group;

        /** In use by the device itself: never replaced. */
        boolean isHeld;

        long used;

        Entry(Peer peer) {
            this.peer = peer;
        }
    }

    HardwareAddresses(int pkey) {
        this(pkey, MAX_ENTRIES);
    }

    /** @param capacity entries that the table may have, at most 4096 */
    HardwareAddresses(int pkey, int capacity) {
        this.pkey = pkey;
        this.capacity = capacity;
        this.broadcast = new Peer(MacAddress.BROADCAST, HardwareAddress.broadcast(pkey));
    }

    /** The group of all stations. */
    Peer broadcast() {
        return broadcast;
    }

    /** Sets the address of the device itself, and returns its number. */
    synchronized long own(HardwareAddress address) {
        Entry entry = Objects.requireNonNull(add(address));
        entry.isHeld = true;
        own = entry.peer;
        return entry.peer.number;
    }

    /** Returns the peer with a number; null for a number that was replaced or never given. */
    synchronized @Nullable Peer find(long number) {
        if (number == MacAddress.BROADCAST) {
            return broadcast;
        }
        Entry entry = entry(number);
        if (entry == null) {
            return null;
        }
        entry.used = ++uses;
        return entry.peer;
    }

    private @Nullable Entry entry(long number) {
        int index = (int) number & INDEX_MASK;
        if (index >= table.size() || table.get(index).peer.number != number) {
            return null;
        }
        return table.get(index);
    }

    /** A held entry is not replaced. */
    synchronized void hold(Peer peer, boolean isHeld) {
        Entry entry = entry(peer.number);
        if (entry != null) {
            entry.isHeld = isHeld;
        }
    }

    /** Returns the peers that were replaced since the last call; the caller frees what they hold. */
    synchronized List<Peer> takeReplaced() {
        if (replaced.isEmpty()) {
            return List.of();
        }
        List<Peer> taken = List.copyOf(replaced);
        replaced.clear();
        return taken;
    }

    /** Returns all peers; a copy. */
    synchronized List<Peer> all() {
        List<Peer> peers = new ArrayList<>();
        peers.add(broadcast);
        table.forEach(entry -> peers.add(entry.peer));
        return peers;
    }

    /** Returns the entry of an address, a new one if there is none; null if all entries of a full table are held. */
    private @Nullable Entry add(HardwareAddress address) {
        Entry known = byAddress.get(address);
        if (known == null) {
            int index = freeIndex();
            if (index < 0) {
                return null;
            }
            long turn = ++turns & TURN_MASK;
            long number = (address.isGroup() ? GROUP : STATION) | turn << INDEX_BITS | index;
            known = new Entry(new Peer(number, address));
            byAddress.put(address, known);
            if (index == table.size()) {
                table.add(known);
            } else {
                table.set(index, known);
            }
        }
        known.used = ++uses;
        return known;
    }

    private int freeIndex() {
        if (table.size() < capacity) {
            return table.size();
        }
        int oldest = -1;
        for (int i = 0; i < table.size(); i++) {
            Entry entry = table.get(i);
            if (!entry.isHeld && (oldest < 0 || entry.used < table.get(oldest).used)) {
                oldest = i;
            }
        }
        if (oldest >= 0) {
            Entry gone = table.get(oldest);
            byAddress.remove(gone.peer.address);
            if (gone.group != null) {
                byGroup.remove(gone.group);
            }
            replaced.add(gone.peer);
        }
        return oldest;
    }

    // For ARP, neighbour discovery and commands

    @Override
    public synchronized void write(MemorySegment segment, long offset, long address) {
        Peer peer = find(address);
        if (peer == null) {
            segment.asSlice(offset, HardwareAddress.BYTES).fill((byte) 0);
        } else {
            peer.address.write(segment, offset);
        }
    }

    /** {@inheritDoc} 0 for an address that is no station's. */
    @Override
    public synchronized long read(MemorySegment segment, long offset) {
        HardwareAddress address = HardwareAddress.read(segment, offset);
        Entry entry = address.isStation() ? add(address) : null;
        return entry == null ? 0 : entry.peer.number;
    }

    @Override
    public synchronized long ofGroup(Gid group) {
        Entry known = byGroup.get(group);
        if (known == null) {
            known = add(HardwareAddress.ofGroup(group, pkey));
            if (known == null) {
                return 0;
            }
            known.group = group;
            byGroup.put(group, known);
        }
        known.used = ++uses;
        return known.peer.number;
    }

    @Override
    public synchronized String toString(long address) {
        Peer peer = find(address);
        return peer == null ? MacAddress.toString(address) : peer.toString();
    }

    @Override
    public synchronized String toString() {
        return "hardware addresses of " + own;
    }
}
