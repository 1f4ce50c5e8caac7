package io.rdma4j.interop.peer;

/**
 * Attributes of a connection; all but the MTU matter to RC alone.
 *
 * @param mtu path MTU, bytes
 * @param timeout an ACK is awaited for 4.096 µs · 2^timeout
 * @param retries after a timeout
 * @param rnrRetries after an RNR NAK, 7 for ever
 * @param rnrTimer code of the delay asked for in RNR NAKs
 */
public record Connection(int mtu, int timeout, int retries, int rnrRetries, int rnrTimer) {
    /** 67 ms until the first retry, seven times; RNR for ever, 0.64 ms. */
    public static Connection usual(int mtu) {
        return new Connection(mtu, 14, 7, 7, 12);
    }

    /** Gives up soon: three timeouts of 67 ms, or two RNR NAKs. */
    public static Connection impatient(int mtu) {
        return new Connection(mtu, 14, 3, 2, 12);
    }

    String words() {
        return "mtu=" + mtu + " timeout=" + timeout + " retries=" + retries + " rnr_retries=" + rnrRetries
                + " rnr_timer=" + rnrTimer;
    }
}
