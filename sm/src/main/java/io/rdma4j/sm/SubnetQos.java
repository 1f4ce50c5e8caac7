// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.List;

/**
 * How all links of a subnet share their capacity among service levels (IBA 7.6). A link with fewer virtual lanes takes
 * the remainder of the division by their number.
 *
 * @param lanes virtual lane of each of the 16 service levels, 0..14
 * @param highLimit units of 4096 bytes of the high table before a packet of the low one; 255 for no limit
 * @param high table of lanes that go first, at most 64 entries
 * @param low table of the other lanes, at most 64 entries
 */
public record SubnetQos(List<Integer> lanes, int highLimit, List<Share> high, List<Share> low) {
    private static final int LEVELS = 16;
    private static final int LANES = 15;
    private static final int ENTRIES = 64;
    private static final int MAX_BYTE = 255;

    /**
     * What a lane may send in its turn.
     *
     * @param lane virtual lane, 0..14
     * @param weight units of 64 bytes, 0..255
     */
    public record Share(int lane, int weight) {
        /**
         * Checks the values.
         *
         * @throws RdmaException EINVAL for a value out of range
         */
        public Share {
            if (lane < 0 || lane >= LANES || weight < 0 || weight > MAX_BYTE) {
                throw new RdmaException(Errno.EINVAL, "a lane is 0..14, a weight 0..255: " + lane + ":" + weight);
            }
        }
    }

    /**
     * Checks the values and copies the lists.
     *
     * @throws RdmaException EINVAL for a value out of range
     */
    public SubnetQos {
        lanes = List.copyOf(lanes);
        high = List.copyOf(high);
        low = List.copyOf(low);
        if (lanes.size() != LEVELS
                || lanes.stream().anyMatch(lane -> lane < 0 || lane >= LANES)
                || highLimit < 0
                || highLimit > MAX_BYTE
                || high.size() > ENTRIES
                || low.size() > ENTRIES) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "16 lanes of 0..14, a limit of 0..255 and at most 64 entries in a table: lanes " + lanes
                            + ", highLimit " + highLimit + ", entries " + high.size() + " and " + low.size());
        }
    }
}
