// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

/** The counters of a port's output. Any thread; values may be slightly old. */
public interface SendCounters {
    /** Returns the packets sent, those to the port itself included. */
    long sentPackets();

    /** Returns the packets that the link rejected or that were dropped, also because the link was down. */
    long sendErrors();
}
