// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.transport.port.QpQueues;
import io.rdma4j.verbs.spi.QpEvents;
import io.rdma4j.verbs.spi.QpSetup;
import org.jspecify.annotations.Nullable;

/**
 * A request to create a queue pair.
 *
 * @param attributes of the application
 * @param domain its protection domain
 * @param queues created from the attributes
 * @param xrcReceives of its XRC domain, if it has one
 * @param events of the queue pair
 */
public record QpRequest(
        QpSetup attributes,
        QpDomain domain,
        QpQueues queues,
        @Nullable XrcReceives xrcReceives,
        QpEvents events) {}
