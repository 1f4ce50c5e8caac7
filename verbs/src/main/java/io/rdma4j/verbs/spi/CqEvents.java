package io.rdma4j.verbs.spi;

/** What a provider tells the core about a completion queue; any thread, does not block, does not allocate. */
public interface CqEvents {
    /** The notification asked for has come; once for each request, and perhaps later if moderated. */
    void completion();

    /** The queue overran or broke: {@link io.rdma4j.verbs.EventType#CQ_ERR}. */
    void error();
}
