// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

/** Flags between sender and driver, shared by all clones ({@code skb_shinfo(skb)->tx_flags}). */
public enum TxFlag {
    /** The link records the time of transmission ({@code SKBTX_HW_TSTAMP}). */
    HW_TSTAMP,
    /** Software records the time when the driver gets the packet ({@code SKBTX_SW_TSTAMP}). */
    SW_TSTAMP,
    /** The driver will supply the timestamp; software does not ({@code SKBTX_IN_PROGRESS}). */
    IN_PROGRESS,
    /** The fragments are memory of the application, and the driver sends from it ({@code SKBTX_DEV_ZEROCOPY}). */
    DEV_ZEROCOPY,
    /**
     * Report the radio's transmit status ({@code SKBTX_WIFI_STATUS}). No device here is a radio, so nothing is
     * reported.
     */
    WIFI_STATUS,
    /** The content of a fragment may change during transmission ({@code SKBTX_SHARED_FRAG}). */
    SHARED_FRAG;

    int bit() {
        return 1 << ordinal();
    }
}
