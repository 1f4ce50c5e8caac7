// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm.gsi;

import io.rdma4j.verbs.Context;

/** A device that a manager shares with others: it claims its services. */
final class ChannelDevice extends GsiDevice {
    private final CmChannel channel;

    ChannelDevice(Context context, CmChannel channel) {
        super(context, channel::send);
        this.channel = channel;
    }

    @Override
    public void claimService(long serviceId, long mask) {
        channel.listen(serviceId, mask);
    }

    @Override
    public void releaseService(long serviceId, long mask) {
        channel.endListen(serviceId, mask);
    }
}
