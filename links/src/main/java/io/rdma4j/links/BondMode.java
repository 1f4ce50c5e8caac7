// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.Locale;

/** Selects the slave of a bond that sends a packet. */
public enum BondMode {
    /** One slave sends until it fails ({@code active-backup}); packets received by the others are dropped. */
    ACTIVE_BACKUP,
    /** The hash of the packet's flow selects one of the working slaves ({@code balance-xor}); all slaves receive. */
    BALANCE_XOR;

    /** {@return the name in Linux} */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** {@return the number in Linux ({@code BOND_MODE_ACTIVEBACKUP})} */
    public int code() {
        return ordinal() + 1;
    }

    /**
     * {@return the mode with this name in Linux: {@code active-backup} or {@code balance-xor}}
     *
     * @param name one of these two
     * @throws RdmaException EINVAL for another name
     */
    public static BondMode of(String name) {
        return switch (name) {
            case "active-backup" -> ACTIVE_BACKUP;
            case "balance-xor" -> BALANCE_XOR;
            default ->
                throw new RdmaException(Errno.EINVAL, "mode " + name + " is neither active-backup nor balance-xor");
        };
    }
}
