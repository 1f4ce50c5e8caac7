// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

/** Counters of a stack, with the names of {@code /proc/net/snmp}; each exists for IPv4 and for IPv6. */
public enum SnmpCounter {
    /** Received packets, also those that are dropped later. */
    IN_RECEIVES(Group.IP, "InReceives"),
    /**
     * Dropped: the header is malformed, its checksum is wrong, the packet is too short, or the hop limit is exceeded.
     */
    IN_HDR_ERRORS(Group.IP, "InHdrErrors"),
    /** Dropped: an address is invalid, or the packet is for another host and this host is no router. */
    IN_ADDR_ERRORS(Group.IP, "InAddrErrors"),
    /** Dropped: there is no route to the destination. */
    IN_NO_ROUTES(Group.IP, "InNoRoutes"),
    /** Dropped: the protocol has no receiver. */
    IN_UNKNOWN_PROTOS(Group.IP, "InUnknownProtos"),
    /**
     * Dropped without an error in the packet: the link addressed another station, a filter dropped it, or no buffer was
     * free.
     */
    IN_DISCARDS(Group.IP, "InDiscards"),
    /** Delivered to the receiver of the protocol. */
    IN_DELIVERS(Group.IP, "InDelivers"),
    /** Forwarded to another host. */
    FORW_DATAGRAMS(Group.IP, "ForwDatagrams"),
    /** Packets that this host was to send, without forwarded ones. */
    OUT_REQUESTS(Group.IP, "OutRequests"),
    /** Not sent: the device was busy, or a filter dropped the packet. */
    OUT_DISCARDS(Group.IP, "OutDiscards"),
    /** Not sent: there is no route. */
    OUT_NO_ROUTES(Group.IP, "OutNoRoutes"),
    /** Packets that were dropped because a fragment did not arrive in time. */
    REASM_TIMEOUT(Group.IP, "ReasmTimeout"),
    /** Received fragments. */
    REASM_REQDS(Group.IP, "ReasmReqds"),
    /** Reassembled packets. */
    REASM_OKS(Group.IP, "ReasmOKs"),
    /** Fragments and packets that could not be reassembled. */
    REASM_FAILS(Group.IP, "ReasmFails"),
    /** Packets that were fragmented. */
    FRAG_OKS(Group.IP, "FragOKs"),
    /** Packets that exceed the MTU, and must not or could not be fragmented. */
    FRAG_FAILS(Group.IP, "FragFails"),
    /** Fragments that were made. */
    FRAG_CREATES(Group.IP, "FragCreates"),

    /** Received messages. */
    ICMP_IN_MSGS(Group.ICMP, "InMsgs"),
    /** Malformed messages, and errors about packets that this host has not sent; part of InMsgs. */
    ICMP_IN_ERRORS(Group.ICMP, "InErrors"),
    /** Messages with a wrong checksum; part of InErrors. */
    ICMP_IN_CSUM_ERRORS(Group.ICMP, "InCsumErrors"),
    /** Received: destination unreachable. */
    ICMP_IN_DEST_UNREACHS(Group.ICMP, "InDestUnreachs"),
    /** Received: the hop limit was exceeded, or fragments did not arrive. */
    ICMP_IN_TIME_EXCDS(Group.ICMP, "InTimeExcds"),
    /** Received: a header is malformed. */
    ICMP_IN_PARM_PROBS(Group.ICMP, "InParmProbs"),
    /** Received: a packet exceeds a link's MTU; IPv6 only. */
    ICMP_IN_PKT_TOO_BIGS(Group.ICMP, "InPktTooBigs"),
    /** Received echo requests. */
    ICMP_IN_ECHOS(Group.ICMP, "InEchos"),
    /** Received echo replies. */
    ICMP_IN_ECHO_REPS(Group.ICMP, "InEchoReps"),
    /** Sent messages. */
    ICMP_OUT_MSGS(Group.ICMP, "OutMsgs"),
    /** Messages that were not sent: the rate limit was reached, or no buffer was free. */
    ICMP_OUT_ERRORS(Group.ICMP, "OutErrors"),
    /** Sent: destination unreachable. */
    ICMP_OUT_DEST_UNREACHS(Group.ICMP, "OutDestUnreachs"),
    /** Sent: the hop limit was exceeded, or fragments did not arrive. */
    ICMP_OUT_TIME_EXCDS(Group.ICMP, "OutTimeExcds"),
    /** Sent: a header is malformed. */
    ICMP_OUT_PARM_PROBS(Group.ICMP, "OutParmProbs"),
    /** Sent: a packet exceeds a link's MTU; IPv6 only. */
    ICMP_OUT_PKT_TOO_BIGS(Group.ICMP, "OutPktTooBigs"),
    /** Sent echo requests. */
    ICMP_OUT_ECHOS(Group.ICMP, "OutEchos"),
    /** Sent echo replies. */
    ICMP_OUT_ECHO_REPS(Group.ICMP, "OutEchoReps"),

    /** Datagrams that were delivered to an endpoint or a handler. */
    UDP_IN_DATAGRAMS(Group.UDP, "InDatagrams"),
    /** Datagrams to a port without an endpoint and a handler. */
    UDP_NO_PORTS(Group.UDP, "NoPorts"),
    /** Datagrams that were dropped because they are malformed, or because their receiver did not accept them. */
    UDP_IN_ERRORS(Group.UDP, "InErrors"),
    /** Datagrams with a wrong checksum; part of InErrors. */
    UDP_IN_CSUM_ERRORS(Group.UDP, "InCsumErrors"),
    /** Datagrams for which an endpoint's queue was full; part of InErrors. */
    UDP_RCVBUF_ERRORS(Group.UDP, "RcvbufErrors"),
    /** Datagrams that endpoints sent. */
    UDP_OUT_DATAGRAMS(Group.UDP, "OutDatagrams");

    /** Line of {@code /proc/net/snmp} that contains a counter. */
    public enum Group {
        /** Internet Protocol. */
        IP("Ip"),
        /** Internet Control Message Protocol. */
        ICMP("Icmp"),
        /** User Datagram Protocol. */
        UDP("Udp");

        private final String label;

        Group(String label) {
            this.label = label;
        }

        /** {@return the start of the line, without the IP version, such as {@code Ip}} */
        public String label() {
            return label;
        }
    }

    private final Group group;
    private final String label;

    SnmpCounter(Group group, String label) {
        this.group = group;
        this.label = label;
    }

    /** {@return the line that contains the counter} */
    public Group group() {
        return group;
    }

    /** {@return the name of the counter in that line} */
    public String label() {
        return label;
    }
}
