// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.peer;

import io.rdma4j.verbs.wr.WcStatus;

/**
 * A completion that a side reports.
 *
 * @param status of the work completion
 * @param id {@code wr_id} of the request
 * @param bytes received
 * @param immediate immediate data, or the invalidated key; 0 if there is neither
 */
public record Completion(WcStatus status, long id, int bytes, int immediate) {}
