package io.rdma4j.net.link;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.Locale;

/** Which slave of a bond sends a packet. */
public enum BondMode {
    /** One does, until it fails ({@code active-backup}); what the others receive is dropped. */
    ACTIVE_BACKUP,
    /** The hash of its flow says which one of those that work ({@code balance-xor}); all receive. */
    BALANCE_XOR;

    /** {@return what Linux calls it} */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** {@return Linux's number of it ({@code BOND_MODE_ACTIVEBACKUP})} */
    public int code() {
        return ordinal() + 1;
    }

    /**
     * {@return the mode that Linux calls so: {@code active-backup} or {@code balance-xor}}
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
