// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.memory;

import org.jspecify.annotations.Nullable;

/**
 * A memory window: a part of a region with its own key and rights, for the peer only. Corresponds to {@code rxe_mw}.
 *
 * <p>A window of type 1 can be bound repeatedly. One of type 2 is bound to the queue pair that binds it, whose peer
 * alone may use it, and must be invalidated before it is bound again. The protection domain is checked as well as the
 * queue pair: such windows are of type 2B.
 */
public final class WindowKey extends MemoryKey {
    private final boolean typeTwo;
    private @Nullable RegionKey region;
    private @Nullable Object queuePair;
    private long start;
    private long length;
    private long regionStart;

    WindowKey(int key, Object protectionDomain, boolean typeTwo) {
        super(key, protectionDomain);
        this.typeTwo = typeTwo;
    }

    public boolean isTypeTwo() {
        return typeTwo;
    }

    /**
     * Binds the window to {@code bytes} bytes of {@code below} from {@code address} on; {@code zeroBased}: their
     * addresses begin at 0 for the peer.
     */
    public void bind(@Nullable RegionKey below, long address, long bytes, boolean zeroBased, Object by) {
        unbind();
        region = below;
        queuePair = typeTwo ? by : null;
        start = zeroBased ? 0 : address;
        regionStart = address;
        length = bytes;
        if (below != null) {
            below.addWindow();
        }
    }

    /** Unbinds the window. */
    public void unbind() {
        RegionKey below = region;
        if (below != null) {
            below.removeWindow();
        }
        region = null;
        queuePair = null;
        length = 0;
        setInvalid();
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // compared by identity: the number of a queue pair may be reused
    public boolean isOpenTo(Object peerOf) {
        return !typeTwo || queuePair == peerOf;
    }

    @Override
    public boolean contains(long address, long bytes) {
        return region != null && isWithin(address, bytes, start, length);
    }

    @Override
    public long start() {
        return start;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    @Nullable
    public RegionKey region() {
        return region;
    }

    @Override
    public long toRegion(long address) {
        return address - start + regionStart;
    }
}
