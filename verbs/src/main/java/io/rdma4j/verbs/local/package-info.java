// SPDX-License-Identifier: Apache-2.0
/** How processes of a user find the devices that they serve to each other. */
@NullMarked
package io.rdma4j.verbs.local;

import org.jspecify.annotations.NullMarked;
