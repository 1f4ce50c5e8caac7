// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.neighbour;

/**
 * A flag that the interfaces of a stack share: packets wait for a device, or a deadline may be earlier than before. The
 * stack then looks at its interfaces; without the flag it need not. Any thread sets it.
 */
public final class StackChanges {
    private volatile boolean changed = true;

    /** Creates a flag that is set. */
    public StackChanges() {}

    /** Sets the flag. */
    public void note() {
        if (!changed) {
            changed = true;
        }
    }

    /** {@return true if the flag was set; clears it} By the owner of the loop. */
    public boolean take() {
        if (!changed) {
            return false;
        }
        changed = false;
        return true;
    }
}
