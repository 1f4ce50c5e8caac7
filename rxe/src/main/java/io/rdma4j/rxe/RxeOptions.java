package io.rdma4j.rxe;

import io.rdma4j.base.NanoClock;
import io.rdma4j.transport.TransportOptions;
import java.security.SecureRandom;

/**
 * How a software RoCEv2 device is to behave.
 *
 * @param clock the time of its timers
 * @param progress who gives it its time
 * @param transport choices of its queue pairs
 * @param udpPort UDP port of its packets and of its peers'
 * @param keySecret what memory keys are mixed with, so that peers cannot guess them; 0 for keys that are the same each time
 */
public record RxeOptions(
        NanoClock clock, ProgressMode progress, TransportOptions transport, int udpPort, long keySecret) {
    /** UDP port of RoCEv2. */
    public static final int ROCE_V2_PORT = 4791;

    /** The JVM's clock, threads that work by themselves, port 4791. */
    public static final RxeOptions DEFAULT = new RxeOptions(
            NanoClock.SYSTEM,
            ProgressMode.AUTOMATIC,
            TransportOptions.DEFAULT,
            ROCE_V2_PORT,
            new SecureRandom().nextLong());

    /** With memory keys that are the same each time. */
    public RxeOptions(NanoClock clock, ProgressMode progress, TransportOptions transport, int udpPort) {
        this(clock, progress, transport, udpPort, 0);
    }

    /** The same with another port. */
    public RxeOptions withUdpPort(int port) {
        return new RxeOptions(clock, progress, transport, port, keySecret);
    }
}
