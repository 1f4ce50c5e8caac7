package io.rdma4j.net;

/** What became of a buffer given to a device ({@code netdev_tx_t}). */
public enum NetdevTx {
    /** The device took it: sent, dropped or on its way, the buffer is the device's to free. */
    OK,
    /** No room just now: nothing happened, the buffer stays the caller's, who tries again later. */
    BUSY
}
