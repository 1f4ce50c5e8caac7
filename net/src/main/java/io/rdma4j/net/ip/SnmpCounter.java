package io.rdma4j.net.ip;

/** What a stack counts, under the names of {@code /proc/net/snmp}; each once for IPv4 and once for IPv6. */
public enum SnmpCounter {
    /** Packets that arrived, whatever became of them. */
    IN_RECEIVES(Group.IP, "InReceives"),
    /** Dropped: the header makes no sense, its checksum is wrong, the packet is shorter than it says, no hops are left. */
    IN_HDR_ERRORS(Group.IP, "InHdrErrors"),
    /** Dropped: an address makes no sense, or the packet is for another host and this one is no router. */
    IN_ADDR_ERRORS(Group.IP, "InAddrErrors"),
    /** Dropped: no route leads to the destination. */
    IN_NO_ROUTES(Group.IP, "InNoRoutes"),
    /** Dropped: nobody here understands what is in it. */
    IN_UNKNOWN_PROTOS(Group.IP, "InUnknownProtos"),
    /** Dropped although nothing is wrong with it: the link sent it to another station, or there was no room. */
    IN_DISCARDS(Group.IP, "InDiscards"),
    /** Given to whom it is for. */
    IN_DELIVERS(Group.IP, "InDelivers"),
    /** Passed on to another host. */
    FORW_DATAGRAMS(Group.IP, "ForwDatagrams"),
    /** Packets that this host was to send, forwarded ones not among them. */
    OUT_REQUESTS(Group.IP, "OutRequests"),
    /** Not sent for lack of room. */
    OUT_DISCARDS(Group.IP, "OutDiscards"),
    /** Not sent for lack of a route. */
    OUT_NO_ROUTES(Group.IP, "OutNoRoutes"),
    /** Datagrams that were given up because a fragment did not come. */
    REASM_TIMEOUT(Group.IP, "ReasmTimeout"),
    /** Fragments that arrived. */
    REASM_REQDS(Group.IP, "ReasmReqds"),
    /** Datagrams that were put together. */
    REASM_OKS(Group.IP, "ReasmOKs"),
    /** Fragments and datagrams that could not be put together. */
    REASM_FAILS(Group.IP, "ReasmFails"),
    /** Packets that were cut. */
    FRAG_OKS(Group.IP, "FragOKs"),
    /** Packets that had to be cut, and must or could not. */
    FRAG_FAILS(Group.IP, "FragFails"),
    /** Fragments made. */
    FRAG_CREATES(Group.IP, "FragCreates"),

    /** Messages that arrived. */
    ICMP_IN_MSGS(Group.ICMP, "InMsgs"),
    /** Of these, such that make no sense. */
    ICMP_IN_ERRORS(Group.ICMP, "InErrors"),
    /** Of these, such with a wrong checksum. */
    ICMP_IN_CSUM_ERRORS(Group.ICMP, "InCsumErrors"),
    /** Something could not be reached. */
    ICMP_IN_DEST_UNREACHS(Group.ICMP, "InDestUnreachs"),
    /** No hops were left, or fragments did not come. */
    ICMP_IN_TIME_EXCDS(Group.ICMP, "InTimeExcds"),
    /** A header made no sense to somebody. */
    ICMP_IN_PARM_PROBS(Group.ICMP, "InParmProbs"),
    /** A packet was too large for a link; of IPv6 only. */
    ICMP_IN_PKT_TOO_BIGS(Group.ICMP, "InPktTooBigs"),
    /** Questions whether we are there. */
    ICMP_IN_ECHOS(Group.ICMP, "InEchos"),
    /** Answers that somebody is there. */
    ICMP_IN_ECHO_REPS(Group.ICMP, "InEchoReps"),
    /** Messages that were sent. */
    ICMP_OUT_MSGS(Group.ICMP, "OutMsgs"),
    /** Messages that were not sent: too many, or no room. */
    ICMP_OUT_ERRORS(Group.ICMP, "OutErrors"),
    /** Sent: something cannot be reached. */
    ICMP_OUT_DEST_UNREACHS(Group.ICMP, "OutDestUnreachs"),
    /** Sent: no hops were left, or fragments did not come. */
    ICMP_OUT_TIME_EXCDS(Group.ICMP, "OutTimeExcds"),
    /** Sent: a header makes no sense. */
    ICMP_OUT_PARM_PROBS(Group.ICMP, "OutParmProbs"),
    /** Sent: the packet is too large for a link; of IPv6 only. */
    ICMP_OUT_PKT_TOO_BIGS(Group.ICMP, "OutPktTooBigs"),
    /** Sent: is somebody there? */
    ICMP_OUT_ECHOS(Group.ICMP, "OutEchos"),
    /** Sent: we are here. */
    ICMP_OUT_ECHO_REPS(Group.ICMP, "OutEchoReps"),

    /** Datagrams that were given to an endpoint or a handler. */
    UDP_IN_DATAGRAMS(Group.UDP, "InDatagrams"),
    /** Datagrams to a port that nobody has. */
    UDP_NO_PORTS(Group.UDP, "NoPorts"),
    /** Dropped datagrams to a port that somebody has, those that make no sense among them. */
    UDP_IN_ERRORS(Group.UDP, "InErrors"),
    /** Of these, such with a wrong checksum. */
    UDP_IN_CSUM_ERRORS(Group.UDP, "InCsumErrors"),
    /** Of these, such that an endpoint had no room for. */
    UDP_RCVBUF_ERRORS(Group.UDP, "RcvbufErrors"),
    /** Datagrams that endpoints sent. */
    UDP_OUT_DATAGRAMS(Group.UDP, "OutDatagrams");

    /** The line of {@code /proc/net/snmp} that a counter stands in. */
    public enum Group {
        /** The Internet protocol itself. */
        IP("Ip"),
        /** Messages about it. */
        ICMP("Icmp"),
        /** Datagrams. */
        UDP("Udp");

        private final String label;

        Group(String label) {
            this.label = label;
        }

        /** {@return what the line begins with, without the version: {@code Ip}} */
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

    /** {@return the line it stands in} */
    public Group group() {
        return group;
    }

    /** {@return its name there} */
    public String label() {
        return label;
    }
}
