package io.rdma4j.interop.peer;

import io.rdma4j.verbs.WcStatus;

/**
 * What a side says of a completion.
 *
 * @param bytes received
 * @param immediate data, or the key that was invalidated; 0 if there is neither
 */
public record Completion(WcStatus status, long id, int bytes, int immediate) {}
