package io.rdma4j.verbs;

import io.rdma4j.base.RdmaException;

/**
 * One of several work requests was refused; those before it are posted, those after it are not. What {@code bad_wr} of
 * {@code ibv_post_send} and {@code ibv_post_recv} points at.
 */
public final class BadWorkRequestException extends RdmaException {
    private static final long serialVersionUID = 1L;

    /** What {@link #index()} returns. */
    private final int index;

    private final transient WorkRequest request;

    /** @param index of the refused request, from 0 */
    BadWorkRequestException(int index, WorkRequest request, RdmaException cause) {
        super(
                cause.errno(),
                "work request " + index + " (wr_id " + request.wrId() + ") was refused: " + cause.getMessage(),
                cause);
        this.index = index;
        this.request = request;
    }

    /** {@return position of the refused request in the list, from 0; so many were posted} */
    public int index() {
        return index;
    }

    /** {@return the refused request} */
    public WorkRequest request() {
        return request;
    }
}
