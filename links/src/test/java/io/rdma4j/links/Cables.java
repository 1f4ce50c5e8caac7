// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.Packets;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A host with Ethernet devices whose cables end at a tester. The tester sends any frame, and records the frames that
 * arrive. Frames are hexadecimal text, with optional blanks and colons.
 */
final class Cables implements AutoCloseable {
    private static final int BUFFERS = 64;

    private record Cable(NetDevice far, List<String> seen) {}

    long nowNs;
    final NetHost host = NetHost.create(() -> nowNs);
    final SkBuffPool pool = new SkBuffPool(BUFFERS, 12_000);
    private final Map<NetDevice, Cable> cables = new LinkedHashMap<>();

    /** Creates a device of the host, with carrier, down. */
    NetDevice plug(String name, long mac) {
        return plug(name, mac, 1500);
    }

    NetDevice plug(String name, long mac, int mtu) {
        VethDevice.Pair pair = VethDevice.unregistered(
                VethDevice.end(name, 0, mtu, mac, List.of()), VethDevice.end("tester", 0, mtu, 0, List.of()), 512);
        NetDevice near = host.initial().register(pair.first());
        NetDevice far = NetHost.standalone(pair.second());
        List<String> seen = new ArrayList<>();
        far.link().setPromiscuity(1);
        far.rxHandler().registerReceiver(skb -> {
            skb.push(skb.data() - skb.macHeader());
            seen.add(tagged(skb));
            skb.free();
        });
        far.up();
        cables.put(near, new Cable(far, seen));
        return near;
    }

    /** Returns the other end of the cable of a device. */
    NetDevice far(NetDevice near) {
        return cable(near).far;
    }

    private Cable cable(NetDevice near) {
        return Objects.requireNonNull(cables.get(near), "no device of the tester's");
    }

    /** Returns the frames that arrived from a device since the last call, with tags inserted. */
    List<String> seen(NetDevice near) {
        poll();
        List<String> now = List.copyOf(cable(near).seen);
        cable(near).seen.clear();
        return now;
    }

    /** Sends a frame from the tester to a device, and polls the devices. */
    void send(NetDevice near, String hex) {
        far(near).transmit(frame(hex));
        poll();
    }

    /** Returns a frame for a device to send. */
    SkBuff frame(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", "").replace(":", ""));
        SkBuff skb = Packets.allocate(pool);
        skb.reserve(64);
        MemorySegment.copy(bytes, 0, skb.memory(), ValueLayout.JAVA_BYTE, skb.put(bytes.length), bytes.length);
        skb.setMacHeader(0);
        return skb;
    }

    /** Returns a frame as text, with its out-of-band tag inserted. */
    private static String tagged(SkBuff skb) {
        String text = text(skb);
        return skb.meta().vlanTagPresent()
                ? text.substring(0, 24)
                        + String.format(
                                "%04x%04x", skb.meta().vlanProto(), skb.meta().vlanTci())
                        + text.substring(24)
                : text;
    }

    /** Returns the bytes of a frame in hexadecimal, without blanks. */
    static String text(SkBuff skb) {
        return HexFormat.of().formatHex(Packets.bytes(skb));
    }

    /** Removes blanks and colons, for comparison with received frames. */
    static String plain(String hex) {
        return hex.replace(" ", "").replace(":", "");
    }

    /** Records the payload of the packets that a device receives, of any protocol. */
    static List<String> received(NetDevice device) {
        List<String> payloads = new ArrayList<>();
        device.rxHandler().registerReceiver(skb -> {
            payloads.add(text(skb));
            skb.free();
        });
        return payloads;
    }

    void poll() {
        for (int i = 0; i < 4; i++) {
            cables.forEach((near, cable) -> {
                near.napi().poll(64);
                cable.far.napi().poll(64);
            });
        }
    }

    @Override
    public void close() {
        host.unregister(host.initial().devices());
        cables.values().forEach(cable -> cable.far.unregister());
        assertThat(pool.available()).isEqualTo(BUFFERS);
        pool.close();
    }
}
