// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.transmit;

/** Result of the transmission of a buffer ({@code netdev_tx_t}). */
public enum NetdevTx {
    /** Accepted: the buffer is sent, dropped or queued. The device owns and frees it. */
    OK,
    /** No room at present: the buffer is unchanged, the caller keeps it and retries later. */
    BUSY
}
