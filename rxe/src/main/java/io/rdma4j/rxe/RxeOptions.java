package io.rdma4j.rxe;

import io.rdma4j.base.NanoClock;
import io.rdma4j.net.loop.ProgressMode;
import io.rdma4j.transport.TransportOptions;
import java.util.List;

/**
 * How a software RoCEv2 device is to behave.
 *
 * @param clock the time of its timers
 * @param progress who gives it its time
 * @param transport choices of its queue pairs
 * @param udpPort UDP port of its packets and of its peers'
 * @param randomNumbers whether memory keys and queue pair numbers cannot be predicted from those that a peer knows; if not, they
 *     count, and are the same each time
 * @param pkeys the port's P_Key table: 16 bits each, bit 15 for a full member of the partition; one entry at least
 * @param privilegedQkeys whether datagram queue pairs may have a Q_Key with bit 31, which are those of services of the
 *     system (IBA 10.2.5); Linux asks for CAP_NET_RAW. The general services queue pair may in any case.
 * @param rawPackets whether there may be raw queue pairs, which see and send what they like; Linux asks for CAP_NET_RAW
 * @param profile what the device is to be less than it could be
 * @param sharedMemory whether a device over UDP sockets reaches other processes of this user on this machine past the sockets
 */
public record RxeOptions(
        NanoClock clock,
        ProgressMode progress,
        TransportOptions transport,
        int udpPort,
        boolean randomNumbers,
        List<Integer> pkeys,
        boolean privilegedQkeys,
        boolean rawPackets,
        DeviceProfile profile,
        boolean sharedMemory) {
    /** Environment variable that turns shared memory off, with the word {@code off}. */
    public static final String SHARED_MEMORY_VARIABLE = "RDMA4J_SHM";

    /** System property with the same; it wins over the variable. */
    public static final String SHARED_MEMORY_PROPERTY = "rdma4j.shm";

    /** UDP port of RoCEv2. */
    public static final int ROCE_V2_PORT = 4791;

    /** The default partition, full member. */
    public static final int DEFAULT_PKEY = 0xFFFF;

    /** The JVM's clock, threads that work by themselves, port 4791, the default partition, no privileges, shared memory unless the environment says otherwise. */
    public static final RxeOptions DEFAULT = new RxeOptions(
            NanoClock.SYSTEM,
            ProgressMode.AUTOMATIC,
            TransportOptions.DEFAULT,
            ROCE_V2_PORT,
            true,
            List.of(DEFAULT_PKEY),
            false,
            false,
            DeviceProfile.FULL,
            isSharedMemoryWanted());

    /** Copies the list. */
    public RxeOptions {
        pkeys = List.copyOf(pkeys);
    }

    /**
     * Options for a device whose memory keys and queue pair numbers are the same each time, in the default partition, without privileges and
     * shared memory.
     *
     * @param clock of all its timers
     * @param progress who drives it
     * @param transport what its queue pairs follow
     * @param udpPort of the device and of its peers
     */
    public RxeOptions(NanoClock clock, ProgressMode progress, TransportOptions transport, int udpPort) {
        this(
                clock,
                progress,
                transport,
                udpPort,
                false,
                List.of(DEFAULT_PKEY),
                false,
                false,
                DeviceProfile.FULL,
                false);
    }

    /**
     * {@return the same with other choices of its queue pairs}
     *
     * @param others all of them
     */
    public RxeOptions withTransport(TransportOptions others) {
        return new RxeOptions(
                clock,
                progress,
                others,
                udpPort,
                randomNumbers,
                pkeys,
                privilegedQkeys,
                rawPackets,
                profile,
                sharedMemory);
    }

    /**
     * {@return the same with another port}
     *
     * @param port UDP port of the device and of its peers
     */
    public RxeOptions withUdpPort(int port) {
        return new RxeOptions(
                clock,
                progress,
                transport,
                port,
                randomNumbers,
                pkeys,
                privilegedQkeys,
                rawPackets,
                profile,
                sharedMemory);
    }

    /**
     * {@return the same with other partitions}
     *
     * @param others the P_Key table: 16 bits each
     */
    public RxeOptions withPkeys(List<Integer> others) {
        return new RxeOptions(
                clock,
                progress,
                transport,
                udpPort,
                randomNumbers,
                others,
                privilegedQkeys,
                rawPackets,
                profile,
                sharedMemory);
    }

    /** {@return the same with Q_Keys of the privileged half for everybody} */
    public RxeOptions withPrivilegedQkeys() {
        return new RxeOptions(
                clock, progress, transport, udpPort, randomNumbers, pkeys, true, rawPackets, profile, sharedMemory);
    }

    /** {@return the same with raw queue pairs, where the network interface has packets for them} */
    public RxeOptions withRawPackets() {
        return new RxeOptions(
                clock,
                progress,
                transport,
                udpPort,
                randomNumbers,
                pkeys,
                privilegedQkeys,
                true,
                profile,
                sharedMemory);
    }

    /**
     * {@return the same as a smaller device}
     *
     * @param other what it is to be less
     */
    public RxeOptions withProfile(DeviceProfile other) {
        return new RxeOptions(
                clock,
                progress,
                transport,
                udpPort,
                randomNumbers,
                pkeys,
                privilegedQkeys,
                rawPackets,
                other,
                sharedMemory);
    }

    /**
     * {@return the same with shared memory, or without}
     *
     * @param wanted true for with
     */
    public RxeOptions withSharedMemory(boolean wanted) {
        return new RxeOptions(
                clock,
                progress,
                transport,
                udpPort,
                randomNumbers,
                pkeys,
                privilegedQkeys,
                rawPackets,
                profile,
                wanted);
    }

    private static boolean isSharedMemoryWanted() {
        String word = System.getProperty(SHARED_MEMORY_PROPERTY, System.getenv(SHARED_MEMORY_VARIABLE));
        return word == null || !word.equals("off");
    }
}
