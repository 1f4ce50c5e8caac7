package io.rdma4j.rxe;

import io.rdma4j.base.NanoClock;
import io.rdma4j.net.loop.ProgressMode;
import io.rdma4j.transport.TransportOptions;
import java.security.SecureRandom;
import java.util.List;

/**
 * How a software RoCEv2 device is to behave.
 *
 * @param clock the time of its timers
 * @param progress who gives it its time
 * @param transport choices of its queue pairs
 * @param udpPort UDP port of its packets and of its peers'
 * @param keySecret what memory keys are mixed with, so that peers cannot guess them; 0 for keys that are the same each time
 * @param pkeys the port's P_Key table: 16 bits each, bit 15 for a full member of the partition; one entry at least
 * @param privilegedQkeys whether datagram queue pairs may have a Q_Key with bit 31, which are those of services of the
 *     system (IBA 10.2.5); Linux asks for CAP_NET_RAW. The general services queue pair may in any case.
 * @param rawPackets whether there may be raw queue pairs, which see and send what they like; Linux asks for CAP_NET_RAW
 * @param profile what the device is to be less than it could be
 */
public record RxeOptions(
        NanoClock clock,
        ProgressMode progress,
        TransportOptions transport,
        int udpPort,
        long keySecret,
        List<Integer> pkeys,
        boolean privilegedQkeys,
        boolean rawPackets,
        DeviceProfile profile) {
    /** UDP port of RoCEv2. */
    public static final int ROCE_V2_PORT = 4791;

    /** The default partition, full member. */
    public static final int DEFAULT_PKEY = 0xFFFF;

    /** The JVM's clock, threads that work by themselves, port 4791, the default partition, no privileges. */
    public static final RxeOptions DEFAULT = new RxeOptions(
            NanoClock.SYSTEM,
            ProgressMode.AUTOMATIC,
            TransportOptions.DEFAULT,
            ROCE_V2_PORT,
            new SecureRandom().nextLong(),
            List.of(DEFAULT_PKEY),
            false,
            false,
            DeviceProfile.FULL);

    public RxeOptions {
        pkeys = List.copyOf(pkeys);
    }

    /** The same, with memory keys that are the same each time. */
    public RxeOptions(NanoClock clock, ProgressMode progress, TransportOptions transport, int udpPort) {
        this(clock, progress, transport, udpPort, 0, List.of(DEFAULT_PKEY), false, false, DeviceProfile.FULL);
    }

    /** With other choices of its queue pairs. */
    public RxeOptions withTransport(TransportOptions others) {
        return new RxeOptions(clock, progress, others, udpPort, keySecret, pkeys, privilegedQkeys, rawPackets, profile);
    }

    /** With another port. */
    public RxeOptions withUdpPort(int port) {
        return new RxeOptions(clock, progress, transport, port, keySecret, pkeys, privilegedQkeys, rawPackets, profile);
    }

    /** With other partitions. */
    public RxeOptions withPkeys(List<Integer> others) {
        return new RxeOptions(
                clock, progress, transport, udpPort, keySecret, others, privilegedQkeys, rawPackets, profile);
    }

    /** With Q_Keys of the privileged half for everybody. */
    public RxeOptions withPrivilegedQkeys() {
        return new RxeOptions(clock, progress, transport, udpPort, keySecret, pkeys, true, rawPackets, profile);
    }

    /** With raw queue pairs, where the network interface has packets for them. */
    public RxeOptions withRawPackets() {
        return new RxeOptions(clock, progress, transport, udpPort, keySecret, pkeys, privilegedQkeys, true, profile);
    }

    /** As a smaller device. */
    public RxeOptions withProfile(DeviceProfile other) {
        return new RxeOptions(
                clock, progress, transport, udpPort, keySecret, pkeys, privilegedQkeys, rawPackets, other);
    }
}
