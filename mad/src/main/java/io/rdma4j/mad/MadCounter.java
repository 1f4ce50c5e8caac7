// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

/** Events that a {@link MadPort} counts. A received datagram that goes to no agent is in one of the counters. */
public enum MadCounter {
    /** Datagrams received, including those that are dropped. */
    RECEIVED,
    /** Datagrams posted. */
    SENT,
    /** Messages or windows of segments sent again after a timeout. */
    RETRIES,
    /** Sends that ended without an answer. */
    TIMEOUTS,
    /** Dropped: not 256 bytes. */
    BAD_LENGTH,
    /** Dropped: base version other than 1. */
    BAD_VERSION,
    /** Dropped: a subnet management class, which belongs to queue pair 0. */
    WRONG_QUEUE_PAIR,
    /** Dropped: a CM datagram with another method than Send. */
    BAD_CM_METHOD,
    /** Dropped: the path back to the sender is unknown. */
    NO_SOURCE,
    /** Dropped: no agent has registered for it. */
    NO_AGENT,
    /** Answered with status 0x000C: a Get or Set that no agent has registered for. */
    UNSUPPORTED,
    /** Dropped: a response without a request. */
    UNMATCHED_RESPONSE,
    /** Dropped: the agent has not returned enough receive buffers. */
    NO_RECEIVE_BUFFER,
    /** Not sent: answers of the MAD layer, because too many of them wait for their completion. */
    REPLIES_DROPPED,
    /** RMPP: segments dropped that were received before. */
    RMPP_DUPLICATES,
    /** RMPP: segments dropped that are beyond the window or belong to no transfer. */
    RMPP_OUT_OF_WINDOW,
    /** RMPP: acknowledgements, stops and aborts dropped that belong to no send. */
    RMPP_UNMATCHED,
    /** RMPP: aborts sent. */
    RMPP_ABORTS,
    /** RMPP: transfers stopped because resources are exhausted. */
    RMPP_STOPS,
    /** RMPP: received messages that were not complete in time. */
    RMPP_TIMEOUTS,
    /** Requests of a redirected class that were answered with its new place. */
    REDIRECTS_SENT,
    /** Requests repeated at the place that a response named. */
    REDIRECTS_FOLLOWED,
    /** Copies for observers dropped, because too many of them wait. */
    SNOOPS_DROPPED,
    /** Handlers that threw an exception. */
    HANDLER_FAILURES,
    /** Receive requests that failed. */
    RECEIVE_ERRORS,
    /** Restarts of the send queue after an error. */
    SEND_QUEUE_RESTARTS
}
