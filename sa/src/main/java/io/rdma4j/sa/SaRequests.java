// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sa;

import io.rdma4j.wire.mad.MadMethod;

/** How registrations are made and ended, and handlers called. No method calls a handler itself. */
interface SaRequests {
    /**
     * Makes (Set) or ends (Delete) a registration at the SA; that of a group at once on RoCE.
     *
     * @throws io.rdma4j.base.RdmaException EAGAIN while the port has no SA
     */
    void request(MadMethod method, SaRecord record, SaHandler answer);

    /** Calls a handler soon, without a lock. */
    void report(SaHandler handler, SaResult result);
}
