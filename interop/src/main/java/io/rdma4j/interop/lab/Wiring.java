// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.lab;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The network namespace and its interfaces: a bridge with the addresses of this machine's Linux; the guest's TAP
 * interface; a TAP interface and a veth pair for the stack of rdma4j.
 */
final class Wiring {
    static final String BRIDGE = "br0";
    static final String GUEST_TAP = "guest0";
    static final String OWN_TAP = "own0";
    static final String OWN_VETH = "own1";

    private static final String PEER_OF_VETH = "port1";
    private static final List<String> PORTS = List.of(GUEST_TAP, OWN_TAP, PEER_OF_VETH);

    private final String namespace;

    Wiring(String namespace) {
        this.namespace = namespace;
    }

    /** Creates all interfaces. */
    void up() throws IOException {
        HostCommands.run(List.of("ip", "netns", "add", namespace));
        List<String> lines = new ArrayList<>(List.of(
                "link set lo up",
                "link add " + BRIDGE + " address 52:54:00:77:00:fe type bridge forward_delay 0",
                "link set " + BRIDGE + " up",
                "addr add " + Lab.HOST_IP4 + "/24 dev " + BRIDGE,
                "addr add " + Lab.HOST_IP6 + "/64 dev " + BRIDGE + " nodad",
                "tuntap add " + GUEST_TAP + " mode tap",
                "tuntap add " + OWN_TAP + " mode tap",
                "link add " + OWN_VETH + " type veth peer name " + PEER_OF_VETH,
                "link set " + OWN_VETH + " up"));
        for (String port : PORTS) {
            lines.add("link set " + port + " master " + BRIDGE);
            lines.add("link set " + port + " up");
        }
        batch(lines);
    }

    /** Sets the MTU of every interface. */
    void setMtu(int bytes) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String port : PORTS) {
            lines.add("link set " + port + " mtu " + bytes);
        }
        lines.add("link set " + OWN_VETH + " mtu " + bytes);
        lines.add("link set " + BRIDGE + " mtu " + bytes);
        batch(lines);
    }

    private void batch(List<String> lines) throws IOException {
        HostCommands.run(
                List.of("ip", "-n", namespace, "-batch", "-"), String.join("\n", lines) + "\n", Duration.ofSeconds(60));
    }

    /** Deletes all interfaces, if they exist. */
    void down() {
        HostCommands.succeeds(List.of("ip", "netns", "del", namespace));
    }
}
