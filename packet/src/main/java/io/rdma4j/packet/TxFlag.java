package io.rdma4j.packet;

/** What the sender asks of, or tells, the driver ({@code skb_shinfo(skb)->tx_flags}); all clones share it. */
public enum TxFlag {
    /** Take the time when the link sends it ({@code SKBTX_HW_TSTAMP}). */
    HW_TSTAMP,
    /** Take the time when it is handed to the driver ({@code SKBTX_SW_TSTAMP}). */
    SW_TSTAMP,
    /** The driver will bring the time, software need not ({@code SKBTX_IN_PROGRESS}). */
    IN_PROGRESS,
    /** The fragments are memory of the application, and the driver sends from it ({@code SKBTX_DEV_ZEROCOPY}). */
    DEV_ZEROCOPY,
    /** Report how the radio sent it ({@code SKBTX_WIFI_STATUS}); there is no radio here, and nothing is reported. */
    WIFI_STATUS,
    /** A fragment may change under the reader's hands ({@code SKBTX_SHARED_FRAG}). */
    SHARED_FRAG;

    /** Its bit in a mask of flags. */
    int bit() {
        return 1 << ordinal();
    }
}
