// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.receive.Napi;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.net.transmit.TransmitDriver;
import io.rdma4j.net.transmit.TransmitQueues;
import io.rdma4j.packet.SkBuff;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Operations of a driver ({@code net_device_ops} and the poll function of NAPI). Two methods are required. The others
 * have defaults for a driver without resources.
 *
 * <p>The owner of the device's loop calls {@link #startXmit} and {@link #pollReceive}, and only while the device is up.
 * They allocate nothing in steady state, and throw nothing even if the link fails.
 */
public interface NetDeviceOps {
    /** {@link #selectQueue} leaves the choice to the device. */
    int NO_QUEUE_CHOSEN = TransmitDriver.NO_QUEUE_CHOSEN;

    /**
     * Sends a buffer that begins with its link header, on an IP device with its IP header ({@code ndo_start_xmit}).
     * Without features, the buffer is one complete linear packet.
     *
     * @param skb the packet; the driver owns it if the result is OK
     * @param device the driver's device
     * @return OK: the driver owns the buffer, counts it as sent or as error and frees it, now or later; BUSY: the
     *     buffer is unchanged
     */
    NetdevTx startXmit(SkBuff skb, NetDevice device);

    /**
     * Sends the packets that the driver has kept for batching ({@code netdev_xmit_more} is false). Called after
     * {@link TransmitQueues#expectFlush}. By default the driver keeps none.
     *
     * @param device the driver's device
     * @return false if the link accepts nothing now; the caller must repeat the call
     */
    default boolean flush(NetDevice device) {
        return true;
    }

    /**
     * Drops matching buffers that the driver has not sent yet. Called by the loop's owner. By default the driver keeps
     * none.
     *
     * @param condition selects packets; changes nothing
     * @return number of dropped buffers
     */
    default int dropWaiting(Predicate<? super SkBuff> condition) {
        return 0;
    }

    /**
     * {@return the next packet of the link, or null if there is none now} It begins with its link header, on an IP
     * device with its IP header. The caller owns it.
     *
     * @param device the driver's device
     */
    @Nullable
    SkBuff pollReceive(NetDevice device);

    /**
     * {@return the subset of {@code features} that the driver supports for this buffer ({@code ndo_features_check})}
     * Called by the loop's owner. Allocates nothing.
     *
     * @param skb the packet; the caller keeps it
     * @param device the driver's device
     * @param features the device's features that the buffer needs
     */
    default FeatureSet featuresCheck(SkBuff skb, NetDevice device, FeatureSet features) {
        return features;
    }

    /**
     * {@return memory for payload of this device's packets, zero-filled, where the link accesses it fastest
     * ({@code dma_alloc_coherent}); by default any native memory} Any thread may call it.
     *
     * @param bytes at least 1
     * @param alignment a power of two, bytes
     * @param arena lifetime of the memory
     */
    default MemorySegment allocateBuffer(long bytes, long alignment, Arena arena) {
        return arena.allocate(bytes, alignment);
    }

    /**
     * {@return number of transmit queues of the driver ({@code num_tx_queues}), 1 to 65535; constant} A buffer's queue
     * mapping selects the queue.
     */
    default int transmitQueues() {
        return 1;
    }

    /** {@return number of receive queues of the driver ({@code num_rx_queues}), at least 1; constant} */
    default int receiveQueues() {
        return 1;
    }

    /**
     * {@return default maximum number of packets that wait in each transmit queue ({@code tx_queue_len}); by default
     * none}
     */
    default int queueLength() {
        return TransmitQueues.VIRTUAL_LENGTH;
    }

    /**
     * Chooses the transmit queue of a buffer ({@code ndo_select_queue}). Called if several queues are in use.
     *
     * @param skb the packet; the caller keeps it
     * @param device the driver's device
     * @return number of a queue in use, or {@link #NO_QUEUE_CHOSEN}
     */
    default int selectQueue(SkBuff skb, NetDevice device) {
        return NO_QUEUE_CHOSEN;
    }

    /**
     * Reports that the driver stopped a transmit queue and did not wake it within the watchdog time
     * ({@code ndo_tx_timeout}). The driver should reset the queue. Called by the loop's owner.
     *
     * @param device the driver's device
     * @param queue number of the queue
     */
    default void txTimeout(NetDevice device, int queue) {}

    /**
     * Brings the device up ({@code ndo_open}).
     *
     * @param device the driver's device
     */
    default void open(NetDevice device) {}

    /**
     * Brings the device down ({@code ndo_stop}). Packets in flight may be dropped. The calling thread owns the device's
     * loop, so no poll and no transmission is in progress, and none begins until the device is up again.
     *
     * @param device the driver's device
     */
    default void stop(NetDevice device) {}

    /**
     * Initialises the device at its registration ({@code ndo_init}). Its interface index is not chosen yet.
     *
     * @param device the driver's device
     * @throws RdmaException the driver's reason to reject the registration
     */
    default void init(NetDevice device) {}

    /**
     * Undoes {@link #init} when the device is unregistered, or when its registration failed ({@code ndo_uninit}).
     *
     * @param device the driver's device
     */
    default void uninit(NetDevice device) {}

    /**
     * Releases the driver's resources after the last reference to the device was released ({@code priv_destructor}).
     *
     * @param device the driver's device
     */
    default void destructor(NetDevice device) {}

    /**
     * Joins a multicast group: from now on its packets arrive, with those that the device itself sends
     * ({@code ip_mc_join_group}, {@code ndo_set_rx_mode}). By default every packet of the link arrives. Called by the
     * loop's owner, once for each group.
     *
     * @param group a multicast address
     * @param device the driver's device
     * @throws RdmaException the reason why the link cannot join the group
     */
    default void joinMulticast(Gid group, NetDevice device) {}

    /**
     * Undoes {@link #joinMulticast} ({@code ip_mc_leave_group}).
     *
     * @param group a multicast address
     * @param device the driver's device
     */
    default void leaveMulticast(Gid group, NetDevice device) {}

    /**
     * {@return true if a thread can block in the driver until its link has packets, as with file descriptors of the
     * system} Then the driver implements {@link #awaitReadable} and {@link #wakeup}. A driver that gets its packets
     * from threads of this JVM lets those call {@link Napi#schedule} instead.
     */
    default boolean hasInterrupt() {
        return false;
    }

    /**
     * {@return true if the other end of the link announces packets by {@link Napi#schedule}, as an adapter does by a
     * message-signalled interrupt} The loop then counts these announcements at a vector of the device, whose affinity
     * selects the loop thread that is woken.
     */
    default boolean isSignalled() {
        return false;
    }

    /**
     * {@return true if {@link #pollReceive} would find no packet and has nothing else to do at present} A thread that
     * polls without pause then asks again soon, and calls {@link #pollReceive} in one poll of several. Any thread, also
     * while another one owns the loop; allocates nothing. By default false, except for a link that {@linkplain
     * #isSignalled announces} its packets.
     */
    default boolean isQuiet() {
        return isSignalled();
    }

    /**
     * Blocks until a packet may have arrived, {@link #wakeup} is called, or the time is over. It may return early.
     * Called by one thread at a time, which does <em>not</em> own the loop.
     *
     * @param timeoutNs maximum time, nanoseconds
     */
    default void awaitReadable(long timeoutNs) {}

    /** Ends the {@link #awaitReadable} of another thread, or its next call. Any thread may call it. */
    default void wakeup() {}

    /**
     * {@return the UDP source port of every packet that leaves, regardless of its header; 0 if the sender may choose}
     */
    default int udpSourcePort() {
        return 0;
    }
}
