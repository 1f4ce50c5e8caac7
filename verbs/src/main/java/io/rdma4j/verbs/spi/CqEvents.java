// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

/** Callbacks from a provider to the core for a completion queue; any thread, must neither block nor allocate. */
public interface CqEvents {
    /** Reports a requested notification; once for each request, delayed by moderation. */
    void completion();

    /** Reports that the queue overran or broke: {@link io.rdma4j.verbs.values.EventType#CQ_ERR}. */
    void error();
}
