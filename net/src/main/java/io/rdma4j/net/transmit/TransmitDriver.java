// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.transmit;

import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.packet.SkBuff;
import java.util.function.Predicate;

/** The driver of one device, as the transmit path calls it. */
public interface TransmitDriver {
    /** {@link #selectQueue} leaves the choice to the device. */
    int NO_QUEUE_CHOSEN = -1;

    /**
     * Sends a buffer ({@code ndo_start_xmit}).
     *
     * @param skb the packet; the driver owns it if the result is OK
     * @return OK: the driver owns the buffer; BUSY: the buffer is unchanged
     */
    NetdevTx startXmit(SkBuff skb);

    /** {@return false if packets that the driver has kept for batching remain in it} */
    boolean flush();

    /**
     * Drops matching buffers that the driver has not sent yet.
     *
     * @param condition selects packets; changes nothing
     * @return number of dropped buffers
     */
    int dropWaiting(Predicate<? super SkBuff> condition);

    /**
     * {@return the subset of {@code features} that the driver supports for this buffer ({@code ndo_features_check})}
     *
     * @param skb the packet; the caller keeps it
     * @param features the device's features that the buffer needs
     */
    FeatureSet featuresCheck(SkBuff skb, FeatureSet features);

    /**
     * Chooses the transmit queue of a buffer ({@code ndo_select_queue}).
     *
     * @param skb the packet; the caller keeps it
     * @return number of a queue in use, or {@link #NO_QUEUE_CHOSEN}
     */
    int selectQueue(SkBuff skb);

    /**
     * Reports that the driver did not wake a stopped queue within the watchdog time ({@code ndo_tx_timeout}).
     *
     * @param queue number of the queue
     */
    void txTimeout(int queue);
}
