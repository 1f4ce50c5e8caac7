// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

/** A port as its link sees it. */
interface LinkEnd {
    /** True if the port waits for the other end. */
    boolean isPolling();

    /** Widths and speeds that are enabled. */
    LinkModes modes();

    /** True in the state Initialize. */
    boolean isInitializing();

    /** The link is up. */
    void linkUp();

    /** The link is down. */
    void linkDown();

    /** The link is down, and there is no cable any more. */
    void unlinked();

    /** Announces the credits of all lanes, when both ends are up. */
    void announceAll();

    /** A packet has arrived; the port owns it. */
    void arrive(IbPacket packet);

    /** Limits of flow control have arrived: the port may send more. */
    void limitsArrived();

    LaneCredits credits(int lane);

    PortCounts counts();
}
