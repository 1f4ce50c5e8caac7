// SPDX-License-Identifier: Apache-2.0
/** Attributes, capabilities, limits and states of devices and their ports. */
@NullMarked
package io.rdma4j.verbs.device;

import org.jspecify.annotations.NullMarked;
