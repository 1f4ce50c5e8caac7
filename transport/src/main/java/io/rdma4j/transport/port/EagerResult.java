// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.port;

/** Result of sending an {@link EagerMessage}. */
public enum EagerResult {
    /** The message cannot be sent this way and nothing has happened: it has to be sent as packets. */
    NO_WAY,
    /** The peer has taken the message, which acknowledges it. */
    TAKEN,
    /** The message is in flight, as packets would be: an acknowledgement or a rejection follows. */
    SENT
}
