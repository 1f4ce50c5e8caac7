package io.rdma4j.net.link;

/** Which slave of a bond sends a packet. */
public enum BondMode {
    /** One does, until it fails ({@code active-backup}); what the others receive is dropped. */
    ACTIVE_BACKUP,
    /** The hash of its flow says which one of those that work ({@code balance-xor}); all receive. */
    BALANCE_XOR
}
