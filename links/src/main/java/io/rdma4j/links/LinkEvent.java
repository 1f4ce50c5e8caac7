// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

/** Events of a packet on an {@link ImpairedPath}. Several of them may happen to one packet. */
public enum LinkEvent {
    /** The packet was given to the path. */
    SENT("sent"),
    /** The packet, or a duplicate, arrived at the other end. */
    ARRIVED("arrived"),
    /** Lost at random. */
    LOST("lost"),
    /** Longer than the path's MTU, and lost. */
    TOO_LONG("too long"),
    /** Lost because the queue was full, or because there was no memory for packets in flight. */
    QUEUE_FULL("overflowed"),
    /** Discarded by the carrier. */
    HELD_BACK("held back"),
    /** Duplicated. */
    DUPLICATED("duplicated"),
    /** Delayed so that others may overtake it. */
    DELAYED("delayed"),
    /** Marked because of congestion (ECN CE). */
    MARKED("marked"),
    /** Some of its bits were changed. */
    CORRUPTED("corrupted");

    private final String text;

    LinkEvent(String text) {
        this.text = text;
    }

    /** {@return the word for reports, as in "3 lost"} */
    public String text() {
        return text;
    }
}
