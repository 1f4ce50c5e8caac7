// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.net.address.AddressDriver;

/** The driver of one device, as the administration of the device needs it. */
interface LinkDriver extends AddressDriver {
    /** Brings the device up ({@code ndo_open}). */
    void open();

    /** Brings the device down ({@code ndo_stop}). */
    void stop();
}
