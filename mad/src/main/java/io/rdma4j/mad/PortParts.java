// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

/** The parts of a port that its agents share. */
record PortParts(
        DatagramPosts posts, HandlerQueue handlers, MadCounters counters, RedirectTable redirects, SnoopList snoops) {}
