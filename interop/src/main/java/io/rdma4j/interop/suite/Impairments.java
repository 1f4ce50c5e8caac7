// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.suite;

import io.rdma4j.interop.peer.Side;
import java.io.IOException;
import java.util.List;

/**
 * A network that loses, duplicates, reorders and corrupts RoCE packets in both directions. RC results must be correct,
 * and the counters must show errors.
 */
final class Impairments {
    /** The network with the highest loss. */
    static final String WORST = "loss 5%";

    private static final String LOSS = "loss";
    private static final String REORDERING = "delay 2ms reorder 75% 50%";

    private static final List<String> INTACT = List.of("loss 1%", WORST, REORDERING, "duplicate 5%");

    private static final List<String> CORRUPTING = List.of("corrupt 3%", "loss 2% duplicate 2% corrupt 1%");

    private Impairments() {}

    /** Networks that do not change packets. */
    static List<Scenario> withoutCorruption() {
        return INTACT.stream().map(Impairments::with).toList();
    }

    /** Networks that change bits. */
    static List<Scenario> withCorruption() {
        return CORRUPTING.stream().map(Impairments::with).toList();
    }

    /**
     * Returns a scenario on an impaired network. It does not use the ping-pongs: an end exits after its last message
     * and cannot retransmit a lost acknowledgement. The other end then fails, or waits without end if it is Linux.
     */
    static Scenario with(String profile) {
        return new Scenario(
                "netem/" + profile + ": RC SEND, WRITE, READ, atomic",
                (stage, direction) -> impaired(stage, direction, profile));
    }

    private static String impaired(Stage stage, Direction direction, String profile) throws IOException {
        try (Netem _ = Netem.onAll(stage.guest(), profile)) {
            return troubled(stage, direction, profile);
        }
    }

    private static String troubled(Stage stage, Direction direction, String profile) throws IOException {
        boolean overtaking = direction == Direction.FROM_LINUX && profile.contains(REORDERING);
        MixedRounds rounds = new MixedRounds(stage, direction, new LostThread(stage.guest(), overtaking));
        // The counters of a device continue after its queue pairs are destroyed.
        List<Side> sides = List.of(stage.ours(), stage.linux());
        Side requester = direction == Direction.TO_LINUX ? stage.ours() : stage.linux();
        long retries = retries(requester);
        long troubles = troubles(sides);
        String told = rounds.play();
        retries = retries(requester) - retries;
        troubles = troubles(sides) - troubles;
        PeerPair.require(troubles > 0, requester, "trouble", "none: " + profile);
        PeerPair.require(retries > 0 || !profile.contains(LOSS), requester, "retries", "none: " + profile);
        return retries + " retries; " + troubles + " sequence errors and duplicates"
                + (told.isEmpty() ? "" : "; " + told);
    }

    private static long retries(Side side) throws IOException {
        return side.counter("completer_retry_err");
    }

    private static long troubles(List<Side> sides) throws IOException {
        long troubles = 0;
        for (Side side : sides) {
            troubles += side.counter("out_of_seq_request")
                    + side.counter("duplicate_request")
                    + side.counter("rcvd_seq_err");
        }
        return troubles;
    }
}
