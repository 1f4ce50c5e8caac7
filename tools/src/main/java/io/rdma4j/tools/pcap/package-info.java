// SPDX-License-Identifier: Apache-2.0
/**
 * Capture files: reads frames and finds the RoCE packet in a frame.
 *
 * <p>The commands that read captures call it. It handles files and link layers; {@link io.rdma4j.wire} decodes the
 * network header and all that follows. It does not print.
 */
@NullMarked
package io.rdma4j.tools.pcap;

import org.jspecify.annotations.NullMarked;
