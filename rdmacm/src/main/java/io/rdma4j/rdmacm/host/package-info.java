// SPDX-License-Identifier: Apache-2.0
/** rdma_cm over the devices of a host. */
@NullMarked
package io.rdma4j.rdmacm.host;

import org.jspecify.annotations.NullMarked;
