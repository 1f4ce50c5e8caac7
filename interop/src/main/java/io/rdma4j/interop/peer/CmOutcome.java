// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.peer;

/**
 * Event of rdma_cm.
 *
 * @param event name without {@code RDMA_CM_EVENT_}
 * @param data private data of the peer; {@code -} if there is none
 */
public record CmOutcome(String event, String data) {}
