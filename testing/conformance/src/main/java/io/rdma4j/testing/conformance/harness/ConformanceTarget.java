// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.harness;

import io.rdma4j.testing.endpoint.EndpointTarget;
import io.rdma4j.verbs.Context;
import java.util.Set;

/**
 * A provider under test: two open contexts whose ports reach each other. They may be of one device.
 *
 * <p>Each case opens a separate target and closes it at the end. The contexts have no open objects then; otherwise
 * closing must fail. {@link #progress} drives devices without {@link Capability#UNATTENDED_PROGRESS}.
 */
public interface ConformanceTarget extends EndpointTarget, AutoCloseable {
    Context first();

    Context second();

    /** Capabilities of the devices. */
    Set<Capability> capabilities();

    /** Closes contexts and hosts. */
    @Override
    void close();
}
