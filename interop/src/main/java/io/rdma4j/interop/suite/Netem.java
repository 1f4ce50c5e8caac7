// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.suite;

import io.rdma4j.interop.lab.Guest;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Impairs RoCE packets of the guest in both directions until it is closed. netem in the guest changes outgoing packets,
 * and incoming ones by redirection to an ifb device.
 */
final class Netem implements AutoCloseable {
    private static final Pattern COUNTS =
            Pattern.compile("netem[^\\n]*\\n\\s*Sent \\d+ bytes (\\d+) pkt \\(dropped (\\d+)");

    private final Guest guest;

    private Netem(Guest guest) {
        this.guest = guest;
    }

    /** Impairs all RoCE packets. */
    static Netem onAll(Guest guest, String profile) throws IOException {
        return add(guest, profile, "", "");
    }

    /** Impairs the messages of one kind of the communication manager; the kind is its attribute id. */
    static Netem onMessages(Guest guest, String profile, int attribute) throws IOException {
        return add(guest, profile, message(attribute, 20), message(attribute, 40));
    }

    /**
     * Words of u32 that match a UD SEND with a MAD of the class and attribute.
     *
     * @param ip length of the IP header, bytes
     */
    private static String message(int attribute, int ip) {
        int bth = ip + 8;
        int mad = bth + 20;
        return String.format(
                " match u8 0x64 0xff at %d match u8 7 0xff at %d match u16 0x%x 0xffff at %d",
                bth, mad + 1, attribute, mad + 16);
    }

    private static Netem add(Guest guest, String profile, String more4, String more6) throws IOException {
        guest.succeed("modprobe -a sch_netem sch_prio sch_ingress cls_u32 act_mirred && modprobe ifb numifbs=1"
                + " && ip link set ifb0 up mtu 9000 && tc qdisc add dev eth0 root handle 1: prio"
                + " && tc qdisc add dev eth0 parent 1:3 netem " + profile + " && "
                + filter("1:", more4, more6, "flowid 1:3") + " && tc qdisc add dev eth0 handle ffff: ingress && "
                + filter("ffff:", more4, more6, "action mirred egress redirect dev ifb0")
                + " && tc qdisc add dev ifb0 root netem " + profile);
        return new Netem(guest);
    }

    private static String filter(String parent, String more4, String more6, String action) {
        String add = "tc filter add dev eth0 parent " + parent;
        return add + " prio 1 protocol ip u32 match ip protocol 17 0xff match ip dport 4791 0xffff" + more4 + " "
                + action + " && " + add
                + " prio 2 protocol ipv6 u32 match ip6 protocol 17 0xff match ip6 dport 4791 0xffff" + more6 + " "
                + action;
    }

    /** Number of packets that it has passed on or dropped in both directions so far. */
    int impaired() throws IOException {
        Matcher matcher = COUNTS.matcher(guest.succeed("tc -s qdisc show dev eth0 && tc -s qdisc show dev ifb0"));
        int packets = 0;
        while (matcher.find()) {
            packets += Integer.parseInt(matcher.group(1)) + Integer.parseInt(matcher.group(2));
        }
        return packets;
    }

    @Override
    public void close() throws IOException {
        guest.succeed("tc qdisc del dev eth0 root; tc qdisc del dev eth0 ingress; tc qdisc del dev ifb0 root");
    }
}
