package io.rdma4j.net.driver;

import io.rdma4j.net.ethtool.ChannelCounts;
import io.rdma4j.net.ethtool.DriverInfo;
import io.rdma4j.net.ethtool.EthtoolOps;
import io.rdma4j.net.ethtool.LinkSettings;
import io.rdma4j.net.ethtool.LinkSettings.Duplex;
import io.rdma4j.net.shm.SharedMemory;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/** What a UDP underlay tells of itself. The owner of the loop counts; any thread reads what is a little old. */
public final class UdpUnderlayEthtool implements EthtoolOps {
    private final String name;
    private final UdpDriver driver;

    private long txCalls;
    private long txNoSocket;
    private long txRefused;
    private long txBusy;
    private long rxTooLong;
    private long rxNoBuffer;
    /**
     * What {@code ethtool} shows of a device over UDP sockets.
     *
     * @param name of the driver
     * @param driver whose counters and buffers it shows
     */
    public UdpUnderlayEthtool(String name, UdpDriver driver) {
        this.name = name;
        this.driver = driver;
    }

    /** A call of the system sent one packet or several. */
    public void countCall() {
        txCalls++;
    }

    /** A packet's source is no address of the interface. */
    public void countNoSocket() {
        txNoSocket++;
    }

    /** The system refused a packet: unreachable, too long for its link. */
    public void countRefused() {
        txRefused++;
    }

    /** A socket's buffer was full. */
    public void countBusy() {
        txBusy++;
    }

    /** A datagram was longer than a buffer. */
    public void countTooLong() {
        rxTooLong++;
    }

    /** A poll found all buffers with their consumers. */
    public void countNoBuffer() {
        rxNoBuffer++;
    }

    @Override
    public DriverInfo driverInfo() {
        return new DriverInfo(name, "1", "port " + driver.udpSourcePort());
    }

    /** The system knows how fast its link is; it does not tell a program that has no privileges. */
    @Override
    public LinkSettings linkSettings() {
        return new LinkSettings(LinkSettings.UNKNOWN, Duplex.FULL, false);
    }

    @Override
    public ChannelCounts channels() {
        int sockets = driver.sockets();
        return new ChannelCounts(sockets, sockets, sockets, sockets);
    }

    @Override
    public SequencedMap<String, Long> statistics() {
        SequencedMap<String, Long> counters = new LinkedHashMap<>();
        counters.put("tx_calls", txCalls);
        counters.put("tx_no_socket", txNoSocket);
        counters.put("tx_refused", txRefused);
        counters.put("tx_busy", txBusy);
        counters.put("rx_too_long", rxTooLong);
        counters.put("rx_no_buffer", rxNoBuffer);
        counters.put("socket_receive_buffer_bytes", (long) driver.receiveBufferBytes());
        counters.put("socket_send_buffer_bytes", (long) driver.sendBufferBytes());
        SharedMemory shared = driver.sharedMemory();
        if (shared != null) {
            shared.addTo(counters);
        }
        return counters;
    }
}
