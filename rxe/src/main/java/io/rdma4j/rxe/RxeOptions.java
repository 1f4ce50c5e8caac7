// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import io.rdma4j.base.NanoClock;
import io.rdma4j.hca.port.PortOptions;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.transport.port.TransportOptions;
import java.util.List;

/**
 * Options of a software RoCEv2 device.
 *
 * @param clock for all timers of the device
 * @param progress which threads run the device
 * @param transport options of its queue pairs
 * @param udpPort UDP port of the device and of its peers
 * @param randomNumbers whether memory keys and queue pair numbers are unpredictable, even for a peer that has some of
 *     them; otherwise they count up from the same start
 * @param pkeys the P_Key table of the port, at least one entry: 16 bits each, bit 15 for a full member of the partition
 * @param privilegedQkeys whether datagram queue pairs may use a Q_Key with bit 31, which is for system services (IBA
 *     10.2.5). Linux requires CAP_NET_RAW. The general services queue pair may always use one.
 * @param rawPackets whether raw queue pairs may be created, which send and receive any packet; Linux requires
 *     CAP_NET_RAW
 * @param profile restrictions of the device
 * @param sharedMemory whether a device over UDP sockets uses shared memory to other processes of this user on this
 *     machine
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
    /** Environment variable that disables shared memory if its value is {@code off}. */
    public static final String SHARED_MEMORY_VARIABLE = "RDMA4J_SHM";

    /** System property with the same meaning; it takes precedence over the variable. */
    public static final String SHARED_MEMORY_PROPERTY = "rdma4j.shm";

    /** UDP port of RoCEv2. */
    public static final int ROCE_V2_PORT = 4791;

    /** P_Key of the default partition, full member. */
    public static final int DEFAULT_PKEY = 0xFFFF;

    /**
     * The JVM's clock, automatic progress, port 4791, random numbers, the default partition, and no privileges. Shared
     * memory is enabled unless property or environment variable disable it.
     */
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
     * Creates options with predictable memory keys and queue pair numbers, the default partition, no privileges and no
     * shared memory.
     *
     * @param clock for all timers of the device
     * @param progress which threads run the device
     * @param transport options of its queue pairs
     * @param udpPort UDP port of the device and of its peers
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
     * {@return these options with other transport options}
     *
     * @param others replace all transport options
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
     * {@return these options with another UDP port}
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
     * {@return these options with another P_Key table}
     *
     * @param others 16 bits each, at least one entry
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

    /** {@return these options with privileged Q_Keys permitted for datagram queue pairs} */
    public RxeOptions withPrivilegedQkeys() {
        return new RxeOptions(
                clock, progress, transport, udpPort, randomNumbers, pkeys, true, rawPackets, profile, sharedMemory);
    }

    /** {@return these options with raw queue pairs permitted, if the network interface supports them} */
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
     * {@return these options with another profile}
     *
     * @param other restrictions of the device
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
     * {@return these options with shared memory enabled or disabled}
     *
     * @param wanted true to enable it
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

    /** The options that do not depend on RoCE. */
    PortOptions port() {
        return new PortOptions(
                transport,
                randomNumbers,
                pkeys,
                privilegedQkeys,
                profile.limits(),
                profile.withheld(),
                profile.nonVolatile());
    }

    private static boolean isSharedMemoryWanted() {
        String word = System.getProperty(SHARED_MEMORY_PROPERTY, System.getenv(SHARED_MEMORY_VARIABLE));
        return word == null || !word.equals("off");
    }
}
