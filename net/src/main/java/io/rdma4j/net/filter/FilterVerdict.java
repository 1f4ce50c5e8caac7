package io.rdma4j.net.filter;

/** What a rule that matched says of the packet. */
public enum FilterVerdict {
    /** The next rule is asked ({@code XT_CONTINUE}). */
    CONTINUE,
    /** No further rule of this table is asked, the packet goes on ({@code NF_ACCEPT}). */
    ACCEPT,
    /** The packet is dropped ({@code NF_DROP}). */
    DROP
}
