// SPDX-License-Identifier: Apache-2.0
/**
 * Carries RoCEv2 packets over network devices: {@link io.rdma4j.rxe.carrier.NetDeviceCarrier} sends, {@link
 * io.rdma4j.rxe.carrier.RoceInput} receives. Everything that uses {@link io.rdma4j.net} while the port is open is here.
 */
@NullMarked
package io.rdma4j.rxe.carrier;

import org.jspecify.annotations.NullMarked;
