// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.device;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The bits that tell whether a device can carry packets ({@code net_device.state}), and which of its parts observe or
 * hold them. Any thread may read them and change them, with immediate effect.
 */
public final class StateBits {
    /** The device is up ({@code __LINK_STATE_START}). */
    public static final int START = 1;

    /** The device is registered and attached ({@code __LINK_STATE_PRESENT}). */
    public static final int PRESENT = 1 << 1;

    /** The link has no carrier ({@code __LINK_STATE_NOCARRIER}). */
    public static final int NO_CARRIER = 1 << 2;

    /** A link event is scheduled ({@code __LINK_STATE_LINKWATCH_PENDING}). */
    public static final int WATCH_PENDING = 1 << 3;

    /** The driver waits for an external event ({@code __LINK_STATE_DORMANT}). */
    public static final int DORMANT = 1 << 4;

    /** There are taps. */
    public static final int TAPS = 1 << 5;

    /** There is a receive handler. */
    public static final int RX_HANDLER = 1 << 6;

    /** There is an ingress queue. */
    public static final int INGRESS_QUEUE = 1 << 7;

    /** There are packet filters. */
    public static final int FILTERS = 1 << 8;

    /** A transmit queue has a qdisc. */
    public static final int QDISC = 1 << 9;

    private static final int OBSERVERS = TAPS | RX_HANDLER | INGRESS_QUEUE | FILTERS | QDISC;

    private final AtomicInteger bits = new AtomicInteger();

    StateBits() {}

    /**
     * {@return true if the bit is set}
     *
     * @param bit one of the constants
     */
    public boolean has(int bit) {
        return (bits.get() & bit) != 0;
    }

    /**
     * Sets or clears a bit atomically ({@code test_and_set_bit}).
     *
     * @param bit one of the constants
     * @param on true to set it, false to clear it
     * @return true if it changed
     */
    public boolean change(int bit, boolean on) {
        int before = bits.getAndUpdate(all -> on ? all | bit : all & ~bit);
        return ((before & bit) != 0) != on;
    }

    /** {@return true while the device is up ({@code netif_running})} */
    public boolean isRunning() {
        return has(START);
    }

    /** {@return true if the link has a carrier ({@code netif_carrier_ok})} */
    public boolean isCarrierOk() {
        return !has(NO_CARRIER);
    }

    /** {@return true if the device is up, present and has a carrier} One read for each packet. */
    public boolean maySend() {
        return (bits.get() & (START | PRESENT | NO_CARRIER)) == (START | PRESENT);
    }

    /** {@return true if the device {@linkplain #maySend may send}, and no part of it observes or holds packets} */
    public boolean passesUnseen() {
        return (bits.get() & (START | PRESENT | NO_CARRIER | OBSERVERS)) == (START | PRESENT);
    }
}
