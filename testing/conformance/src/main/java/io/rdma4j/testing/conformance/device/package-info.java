// SPDX-License-Identifier: Apache-2.0
/** Cases for devices, contexts, protection domains, lifetimes and asynchronous events. */
@NullMarked
package io.rdma4j.testing.conformance.device;

import org.jspecify.annotations.NullMarked;
