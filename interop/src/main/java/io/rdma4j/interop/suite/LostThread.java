package io.rdma4j.interop.suite;

import io.rdma4j.interop.lab.Guest;
import io.rdma4j.interop.suite.Scenario.Mismatch;
import java.io.IOException;

/**
 * What becomes of Linux's requester when a network delays an acknowledgement until between the packets of a READ's answer: it forgets that the
 * answer has begun, takes the next packet for one out of turn, completes the READ as a success, and goes to error. The kernel warns of that
 * state, which no refusal by the peer leads to: there the request has a status.
 */
final class LostThread {
    private static final String WARNINGS =
            "busybox dmesg | grep -c 'WARNING: .*/rxe_comp.c:[0-9]* rxe_completer' || true";

    /** The kernel gives each warning once only, until it is told to forget that. */
    private static final String WARN_AGAIN = "test -e /sys/kernel/debug/clear_warn_once"
            + " || busybox mount -t debugfs none /sys/kernel/debug; echo 1 > /sys/kernel/debug/clear_warn_once";

    /** Seen in about one of fifty rounds. */
    private static final int AT_MOST = 5;

    private final Guest guest;
    private final boolean isPossible;
    private int warnings;
    private int seen;

    /** @param isPossible whether the requester is Linux, and the network lets packets overtake each other */
    LostThread(Guest guest, boolean isPossible) throws IOException {
        this.guest = guest;
        this.isPossible = isPossible;
        if (isPossible) {
            guest.succeed(WARN_AGAIN);
            warnings = warnings();
        }
    }

    /** True if the kernel has warned since it was asked last. */
    boolean isSeen() throws IOException {
        if (!isPossible || warnings() == warnings) {
            return false;
        }
        guest.succeed(WARN_AGAIN);
        warnings = warnings();
        if (++seen > AT_MOST) {
            throw new Mismatch("Linux broke off " + seen + " connections");
        }
        return true;
    }

    private int warnings() throws IOException {
        return Integer.parseInt(guest.succeed(WARNINGS).strip());
    }

    /** For the table; empty if there is nothing to tell. */
    String summary() {
        return seen == 0 ? "" : "Linux broke off " + seen + " times, at an ACK inside the answer to a READ";
    }
}
