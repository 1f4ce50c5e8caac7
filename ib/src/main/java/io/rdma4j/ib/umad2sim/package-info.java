// SPDX-License-Identifier: Apache-2.0
/**
 * A server of the umad2sim protocol, with which programs of OpenSM and infiniband-diags attach to a fabric: they run
 * with the preload library of ibsim in place of {@code /dev/infiniband/umad0}. And a client, by which a subnet manager
 * of this project manages the subnet of ibsim.
 */
@NullMarked
package io.rdma4j.ib.umad2sim;

import org.jspecify.annotations.NullMarked;
