// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.ops;

import io.rdma4j.hca.AddressTables;
import io.rdma4j.hca.HcaLimits;
import io.rdma4j.hca.PortCounters;
import io.rdma4j.hca.PortEvents;
import io.rdma4j.hca.PortLink;
import io.rdma4j.hca.PortManagement;

/**
 * The open port of a device, as contexts use it.
 *
 * @param limits of the device
 * @param link below the port
 * @param tables of its addresses and partitions
 * @param management reads and writes its attributes
 * @param counters of the port
 * @param events of device and port
 * @param objects creates the objects of contexts
 */
public record DevicePort(
        HcaLimits limits,
        PortLink link,
        AddressTables tables,
        PortManagement management,
        PortCounters counters,
        PortEvents events,
        DeviceObjects objects) {}
