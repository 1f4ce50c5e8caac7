package io.rdma4j.net;

import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.packet.SkBuff;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A driver, as the core sees it ({@code net_device_ops} and the poll function of NAPI). Two methods make a device; the
 * others have a default that fits one without resources.
 *
 * <p>{@link #startXmit} and {@link #pollReceive} are called by the thread that owns the device's loop, and only while
 * the device is up; they allocate nothing in steady state and throw nothing, whatever the link does.
 */
public interface NetDeviceOps {
    /** {@link #selectQueue} leaves the choice to the device. */
    int NO_QUEUE_CHOSEN = -1;

    /**
     * Sends a buffer ({@code ndo_start_xmit}) that starts with its link header, on an IP device with its IP header.
     * Without features it is one finished linear packet.
     *
     * @param skb the driver's if the answer is OK
     * @param device the one that the driver drives
     * @return OK: the buffer is the driver's, who counts it as sent or as error and frees it, now or later; BUSY: the
     *     buffer was not touched
     */
    NetdevTx startXmit(SkBuff skb, NetDevice device);

    /**
     * There is nothing more to send for now: what the driver has kept to send it together goes out ({@code netdev_xmit_more} is
     * false). Called after {@link TransmitQueues#expectFlush}; by default nothing was kept.
     *
     * @param device the one that the driver drives
     * @return false if the link takes nothing now: the call is to be repeated
     */
    default boolean flush(NetDevice device) {
        return true;
    }

    /**
     * Drops the buffers that the driver has not sent yet and {@code condition} holds of; called by the owner of the loop. By
     * default none waits in the driver.
     *
     * @param condition asked of each; changes nothing
     * @return how many
     */
    default int dropWaiting(Predicate<? super SkBuff> condition) {
        return 0;
    }

    /**
     * {@return the next packet from the link, starting with its link header, on an IP device with its IP header, or
     * null if there is none now} It becomes the caller's.
     *
     * @param device the one that the driver drives
     */
    @Nullable
    SkBuff pollReceive(NetDevice device);

    /**
     * {@return what the device does for one buffer ({@code ndo_features_check}): {@code features}, or less of them; by
     * the owner of the loop} Allocates nothing.
     *
     * @param skb stays the caller's
     * @param device the one that the driver drives
     * @param features what the device does of what the buffer needs
     */
    default FeatureSet featuresCheck(SkBuff skb, NetDevice device, FeatureSet features) {
        return features;
    }

    /**
     * {@return memory filled with zeros that packets of this device may point into, where its link reaches it best
     * ({@code dma_alloc_coherent}); by default, any} Any thread.
     *
     * @param bytes at least 1
     * @param alignment a power of two, bytes
     * @param arena whose end is that of the memory
     */
    default MemorySegment allocateBuffer(long bytes, long alignment, Arena arena) {
        return arena.allocate(bytes, alignment);
    }

    /**
     * {@return bytes that may be under way to a destination at once, because they wait in no buffer that could overflow: of packets with
     * {@link #readsInPlace}, in trains of up to an eighth of it; 0 for a destination that is reached through any network} The eighth is
     * a rule for both sides: who sends cuts no longer trains, and the driver must take such a train whole. By the owner of the loop;
     * allocates nothing.
     *
     * @param source address that packets come from
     * @param destination address that they go to
     * @param port UDP port that they go to
     * @param device the one that the driver drives
     */
    default int burstBytes(Gid source, Gid destination, int port, NetDevice device) {
        return 0;
    }

    /**
     * {@return true if a destination with {@link #burstBytes} reads the payload of a packet where it lies: all of it is in memory that
     * {@link #allocateBuffer} gave, or anywhere if it can read this process} By the owner of the loop; allocates nothing.
     *
     * @param skb stays the caller's
     * @param source address that packets come from
     * @param destination address that they go to
     * @param port UDP port that they go to
     */
    default boolean readsInPlace(SkBuff skb, Gid source, Gid destination, int port) {
        return false;
    }

    /**
     * Packets will go to a destination soon: what the first of them would have to find out, or to wait for, is found out and begun now. By the owner of
     * the loop; allocates, and may look into the file system.
     *
     * @param source address that they will come from
     * @param destination address that they will go to
     * @param port UDP port that they will go to
     */
    default void expect(Gid source, Gid destination, int port) {}

    /**
     * {@return a way for notes to who has an address, if {@link #expect} or a packet has found that it is a process of this machine; null: packets it is} By
     * the owner of the loop; allocates nothing.
     *
     * @param source address that packets come from
     * @param destination address that they go to
     * @param port UDP port that they go to
     */
    default @Nullable NoteWay noteWay(Gid source, Gid destination, int port) {
        return null;
    }

    /**
     * {@return true if all packets of who has an address come by a way that other users' processes cannot use: one that comes by a socket
     * is forged} By the owner of the loop; allocates nothing.
     *
     * @param source address of this end
     * @param destination address of the peer
     * @param port UDP port of the peer
     */
    default boolean isPrivate(Gid source, Gid destination, int port) {
        return false;
    }

    /**
     * Peers may send notes from now on; by the owner of the loop.
     *
     * @param receiver takes them; null for nobody
     */
    default void noteReceiver(@Nullable NoteReceiver receiver) {}

    /**
     * {@return transmit queues that the driver has ({@code num_tx_queues}), 1 to 65535; constant} A buffer says which
     * one it is for.
     */
    default int transmitQueues() {
        return 1;
    }

    /** {@return receive queues that the driver has ({@code num_rx_queues}), at least 1; constant} */
    default int receiveQueues() {
        return 1;
    }

    /**
     * {@return packets that may wait for the driver in each of them, if nobody says otherwise ({@code tx_queue_len});
     * by default none}
     */
    default int queueLength() {
        return TransmitQueues.VIRTUAL_LENGTH;
    }

    /**
     * Chooses the transmit queue of a buffer ({@code ndo_select_queue}); asked if several are in use.
     *
     * @param skb stays the caller's
     * @param device the one that the driver drives
     * @return the number of one in use, or {@link #NO_QUEUE_CHOSEN}
     */
    default int selectQueue(SkBuff skb, NetDevice device) {
        return NO_QUEUE_CHOSEN;
    }

    /**
     * The driver has stopped a transmit queue, and has not woken it for too long ({@code ndo_tx_timeout}): it should begin anew.
     * Called by the owner of the loop.
     *
     * @param device the one that the driver drives
     * @param queue its number
     */
    default void txTimeout(NetDevice device, int queue) {}

    /**
     * The device goes up ({@code ndo_open}).
     *
     * @param device the one that the driver drives
     */
    default void open(NetDevice device) {}

    /**
     * The device goes down ({@code ndo_stop}): packets under way may be dropped.
     *
     * @param device the one that the driver drives
     */
    default void stop(NetDevice device) {}

    /**
     * The device is being registered ({@code ndo_init}); its number is not chosen yet.
     *
     * @param device the one that the driver drives
     * @throws RdmaException whatever forbids it
     */
    default void init(NetDevice device) {}

    /**
     * The device is being unregistered, or after {@link #init} its registration failed ({@code ndo_uninit}).
     *
     * @param device the one that the driver drives
     */
    default void uninit(NetDevice device) {}

    /**
     * Nobody holds the device any more: the driver gives back all it holds ({@code priv_destructor}).
     *
     * @param device the one that the driver drives
     */
    default void destructor(NetDevice device) {}

    /**
     * From now on packets to a multicast address arrive as well ({@code ip_mc_join_group}, {@code ndo_set_rx_mode}), those
     * that the device itself sends to it among them. By default all packets arrive that the link carries. Called by the
     * owner of the loop, once for each group.
     *
     * @param group a multicast address
     * @param device the one that the driver drives
     * @throws RdmaException whatever keeps the link from joining the group
     */
    default void joinMulticast(Gid group, NetDevice device) {}

    /**
     * Undoes {@link #joinMulticast} ({@code ip_mc_leave_group}).
     *
     * @param group a multicast address
     * @param device the one that the driver drives
     */
    default void leaveMulticast(Gid group, NetDevice device) {}

    /**
     * {@return true if the driver can sleep until its link has something, as drivers over file descriptors of the
     * system can: then it has {@link #awaitReadable} and {@link #wakeup}} One that gets its packets from threads of
     * this JVM has them call {@link Napi#schedule} instead.
     */
    default boolean hasInterrupt() {
        return false;
    }

    /**
     * Sleeps until a packet may be there, {@link #wakeup} is called, or the time is up; may return early. Called by a
     * thread that does <em>not</em> own the loop; one thread at a time.
     *
     * @param timeoutNs how long at most, nanoseconds
     */
    default void awaitReadable(long timeoutNs) {}

    /** Ends the {@link #awaitReadable} of another thread, or its next one; from any thread. */
    default void wakeup() {}

    /**
     * {@return the UDP source port that every packet leaves from, whatever its header says; 0 if the sender may choose}
     */
    default int udpSourcePort() {
        return 0;
    }
}
