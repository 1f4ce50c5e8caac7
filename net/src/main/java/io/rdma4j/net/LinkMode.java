package io.rdma4j.net;

/** What a link that came up is at first ({@code IF_LINK_MODE_*}). The ordinal is Linux's number. */
public enum LinkMode {
    /** {@link OperState#UP}. */
    DEFAULT,
    /** {@link OperState#DORMANT}, until a program that looks after the link says that it is {@link OperState#UP}. */
    DORMANT
}
