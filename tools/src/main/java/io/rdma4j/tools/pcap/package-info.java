/**
 * Capture files: reads frames from them and finds the RoCE packet in a frame.
 *
 * <p>Called by the commands that look at captures; knows the files and the link layers, and leaves everything from the
 * network header on to {@link io.rdma4j.wire}. Nothing here prints.
 */
@NullMarked
package io.rdma4j.tools.pcap;

import org.jspecify.annotations.NullMarked;
