// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.udp;

import io.rdma4j.net.ethtool.ChannelCounts;
import io.rdma4j.net.ethtool.DriverInfo;
import io.rdma4j.net.ethtool.EthtoolOps;
import io.rdma4j.net.ethtool.LinkSettings;
import io.rdma4j.net.ethtool.LinkSettings.Duplex;
import io.rdma4j.shm.ShmTransport;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * Implements {@code ethtool} for a UDP underlay. The owner of the loop updates the counters; any thread may read
 * slightly stale values.
 */
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
     * Creates the operations of a device over UDP sockets.
     *
     * @param name of the driver
     * @param driver whose counters and buffers it shows
     */
    public UdpUnderlayEthtool(String name, UdpDriver driver) {
        this.name = name;
        this.driver = driver;
    }

    /** Counts a system call that sent one packet or several. */
    public void countCall() {
        txCalls++;
    }

    /** Counts a packet whose source is not an address of the interface. */
    public void countNoSocket() {
        txNoSocket++;
    }

    /** Counts a packet that the system rejected: destination unreachable, or packet too long for the link. */
    public void countRefused() {
        txRefused++;
    }

    /** Counts a full send buffer of a socket. */
    public void countBusy() {
        txBusy++;
    }

    /** Counts a datagram that was longer than a buffer. */
    public void countTooLong() {
        rxTooLong++;
    }

    /** Counts a poll that found no free buffer. */
    public void countNoBuffer() {
        rxNoBuffer++;
    }

    @Override
    public DriverInfo driverInfo() {
        return new DriverInfo(name, "1", "port " + driver.udpSourcePort());
    }

    /** The speed is unknown: the system does not report it to a program without privileges. */
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
        ShmTransport shared = driver.sharedMemory();
        if (shared != null) {
            shared.addTo(counters);
        }
        return counters;
    }
}
