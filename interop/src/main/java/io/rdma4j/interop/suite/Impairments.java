package io.rdma4j.interop.suite;

import io.rdma4j.interop.lab.Guest;
import io.rdma4j.interop.peer.Side;
import io.rdma4j.verbs.WrOpcode;
import java.io.IOException;
import java.util.List;

/**
 * A network that loses, doubles, reorders and corrupts RoCE packets in both directions: netem in the guest, at what leaves, and at what arrives by
 * the detour of an ifb device. RC must stay right, and must be seen to have had trouble.
 */
final class Impairments {
    private static final int ROUNDS = 25;
    private static final int LENGTH = 20_000;

    /** Of a network that only loses packets. */
    static final String WORST = "loss 5%";

    private static final String LOSS = "loss";

    private static final List<String> INTACT = List.of("loss 1%", WORST, "delay 2ms reorder 75% 50%", "duplicate 5%");

    private static final List<String> CORRUPTING = List.of("corrupt 3%", "loss 2% duplicate 2% corrupt 1%");

    private Impairments() {}

    /** Networks on which each packet that arrives is as it was sent. */
    static List<Scenario> withoutCorruption() {
        return INTACT.stream().map(Impairments::with).toList();
    }

    /** Networks that change bits. */
    static List<Scenario> withCorruption() {
        return CORRUPTING.stream().map(Impairments::with).toList();
    }

    /**
     * Not the ping-pongs: the end that hears the last message goes away with it, and if the acknowledgement of that one is lost, nobody is left
     * to repeat it; the other end then fails, or, being Linux, waits for ever.
     */
    static Scenario with(String profile) {
        return new Scenario(
                "netem/" + profile + ": RC SEND, WRITE, READ, atomic",
                (stage, direction) -> impaired(stage, direction, profile));
    }

    private static String impaired(Stage stage, Direction direction, String profile) throws IOException {
        Guest guest = stage.guest();
        guest.succeed("modprobe -a sch_netem sch_prio sch_ingress cls_u32 act_mirred && modprobe ifb numifbs=1"
                + " && ip link set ifb0 up mtu 9000 && tc qdisc add dev eth0 root handle 1: prio"
                + " && tc qdisc add dev eth0 parent 1:3 netem " + profile + " && " + filter("1:", "flowid 1:3")
                + " && tc qdisc add dev eth0 handle ffff: ingress && "
                + filter("ffff:", "action mirred egress redirect dev ifb0") + " && tc qdisc add dev ifb0 root netem "
                + profile);
        try {
            return mix(stage, direction, profile);
        } finally {
            guest.succeed("tc qdisc del dev eth0 root; tc qdisc del dev eth0 ingress; tc qdisc del dev ifb0 root");
        }
    }

    private static String filter(String parent, String action) {
        String add = "tc filter add dev eth0 parent " + parent;
        return add + " prio 1 protocol ip u32 match ip protocol 17 0xff match ip dport 4791 0xffff " + action + " && "
                + add + " prio 2 protocol ipv6 u32 match ip6 protocol 17 0xff match ip6 dport 4791 0xffff " + action;
    }

    /** All of them under way at once; in the end each has happened exactly once. */
    private static String mix(Stage stage, Direction direction, String profile) throws IOException {
        Pair pair = Pair.usual(stage, direction, "RC");
        Side requester = pair.requester();
        Side responder = pair.responder();
        long retries = retries(requester);
        long troubles = troubles(requester) + troubles(responder);
        int sent = LENGTH;
        int written = 2 * LENGTH;
        int read = 3 * LENGTH;
        int counter = 4 * LENGTH;
        int withoutAnswer = 0;
        responder.fill(read, LENGTH, 7);
        responder.set(counter, 0);
        for (int round = 1; round <= ROUNDS; round++) {
            requester.fill(0, LENGTH, round);
            responder.receive(round, sent, LENGTH);
            requester.post(WrOpcode.SEND, 1, 0, LENGTH, "");
            requester.post(WrOpcode.RDMA_WRITE, 2, 0, LENGTH, responder.address() + written, responder.rkey());
            requester.post(WrOpcode.RDMA_READ, 3, read, LENGTH, responder.address() + read, responder.rkey());
            requester.post(
                    WrOpcode.ATOMIC_FETCH_AND_ADD,
                    4,
                    counter,
                    Long.BYTES,
                    "compare=1 swap=0 remote=" + (responder.address() + counter) + " rkey="
                            + Integer.toUnsignedString(responder.rkey()));
            for (int id = 1; id <= 4; id++) {
                pair.succeeds(requester, id);
            }
            pair.succeeds(responder, round);
            pair.requireEqual(0, sent, LENGTH);
            pair.requireEqual(0, written, LENGTH);
            boolean answered =
                    requester.crc(read, LENGTH) == responder.crc(read, LENGTH) && requester.get(counter) == round - 1;
            if (!answered) {
                // Linux takes a plain ACK of the same number for the answer of a READ or atomic, which was lost.
                Pair.require(direction == Direction.FROM_LINUX, requester, "the answers", "others in round " + round);
                withoutAnswer++;
            }
        }
        Pair.require(responder.get(counter) == ROUNDS, responder, ROUNDS + " additions", responder.get(counter));
        retries = retries(requester) - retries;
        troubles = troubles(requester) + troubles(responder) - troubles;
        Pair.require(troubles > 0, requester, "trouble", "none: " + profile);
        Pair.require(retries > 0 || !profile.contains(LOSS), requester, "retries", "none: " + profile);
        return retries + " retries; " + troubles + " sequence errors and duplicates"
                + (withoutAnswer == 0 ? "" : "; Linux completed " + withoutAnswer + " requests without their answers");
    }

    private static long retries(Side side) throws IOException {
        return side.counter("completer_retry_err");
    }

    private static long troubles(Side side) throws IOException {
        return side.counter("out_of_seq_request") + side.counter("duplicate_request") + side.counter("rcvd_seq_err");
    }
}
