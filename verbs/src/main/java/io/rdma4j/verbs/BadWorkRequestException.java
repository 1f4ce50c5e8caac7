// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.RdmaException;

/**
 * Reports that one of several work requests was rejected. The requests before it are posted; the requests after it are
 * not. Corresponds to {@code bad_wr} of {@code ibv_post_send} and {@code ibv_post_recv}.
 */
public final class BadWorkRequestException extends RdmaException {
    private static final long serialVersionUID = 1L;

    private final int index;

    private final transient WorkRequest request;

    /** @param index index of the rejected request, from 0 */
    BadWorkRequestException(int index, WorkRequest request, RdmaException cause) {
        super(
                cause.errno(),
                "work request " + index + " (wr_id " + request.wrId() + ") was refused: " + cause.getMessage(),
                cause);
        this.index = index;
        this.request = request;
    }

    /**
     * {@return the index of the rejected request in the list, from 0; equals the number of requests that were posted}
     */
    public int index() {
        return index;
    }

    /** {@return the rejected request} */
    public WorkRequest request() {
        return request;
    }
}
