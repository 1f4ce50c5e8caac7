// SPDX-License-Identifier: Apache-2.0
/** {@code ping}, {@code tracepath}, {@code tcpdump}. */
@NullMarked
package io.rdma4j.netlab.command.ping;

import org.jspecify.annotations.NullMarked;
