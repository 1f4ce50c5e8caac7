// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.receive;

/** Delivers received packets of a driver (the {@code poll} function of {@code napi_struct}). */
@FunctionalInterface
public interface NapiPoll {
    /**
     * Receives packets until the link has none or {@code budget} is used. Called by the loop's owner. Allocates
     * nothing.
     *
     * @param budget packets
     * @return number of packets, at most {@code budget}; less if the link is empty
     */
    int poll(int budget);

    /** {@return true if the context is scheduled for each packet, so that a poll without a schedule finds none} */
    default boolean isSignalled() {
        return false;
    }
}
