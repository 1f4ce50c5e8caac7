// SPDX-License-Identifier: Apache-2.0
/**
 * {@code rdma} on this machine: the devices that processes of this user serve, and those that a background process
 * serves until they are deleted.
 */
@NullMarked
package io.rdma4j.tools.rdma;

import org.jspecify.annotations.NullMarked;
