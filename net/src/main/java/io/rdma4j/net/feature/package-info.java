// SPDX-License-Identifier: Apache-2.0
/**
 * The offload features of a network device, and the rules between them.
 */
@NullMarked
package io.rdma4j.net.feature;

import org.jspecify.annotations.NullMarked;
