// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sa;

/**
 * What the SA keeps for this port: a membership of a multicast group, a service or a subscription. The client repeats
 * it after CLIENT_REREGISTER and after a change of the subnet manager or of the LID. Any thread.
 */
public final class SaRegistration implements AutoCloseable {
    private final Runnable removal;

    SaRegistration(Runnable removal) {
        this.removal = removal;
    }

    /**
     * Ends the registration: leaves the group, deletes the service or ends the subscription. Its handler is not
     * called any more. Idempotent.
     */
    @Override
    public void close() {
        removal.run();
    }
}
