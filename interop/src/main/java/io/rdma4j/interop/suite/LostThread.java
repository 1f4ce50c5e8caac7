// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.suite;

import io.rdma4j.interop.lab.Guest;
import io.rdma4j.interop.suite.Scenario.Mismatch;
import java.io.IOException;

/**
 * Detects an error of Linux's requester. It occurs when a delayed acknowledgement arrives between the response packets
 * of a READ. The requester loses the state of the response and treats the next packet as out of order. It completes the
 * READ as a success and moves to ERR. The kernel prints a warning in this state. A rejection by the peer does not cause
 * the warning, because the request then has an error status.
 */
final class LostThread {
    private static final String WARNINGS =
            "busybox dmesg | grep -c 'WARNING: .*/rxe_comp.c:[0-9]* rxe_completer' || true";

    /** The kernel prints each warning only once, until this command resets it. */
    private static final String WARN_AGAIN = "test -e /sys/kernel/debug/clear_warn_once"
            + " || busybox mount -t debugfs none /sys/kernel/debug; echo 1 > /sys/kernel/debug/clear_warn_once";

    /** Maximum number of occurrences; measured about one in fifty rounds. */
    private static final int AT_MOST = 5;

    private final Guest guest;
    private final boolean isPossible;
    private int warnings;
    private int seen;

    /** @param isPossible whether the requester is Linux, and the network reorders packets */
    LostThread(Guest guest, boolean isPossible) throws IOException {
        this.guest = guest;
        this.isPossible = isPossible;
        if (isPossible) {
            guest.succeed(WARN_AGAIN);
            warnings = warnings();
        }
    }

    /** True if the kernel has printed a warning since the last call. */
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

    /** Summary for the table; may be empty. */
    String summary() {
        return seen == 0 ? "" : "Linux broke off " + seen + " times, at an ACK inside the answer to a READ";
    }
}
