/** {@code ping}, {@code tracepath}, {@code tcpdump}. */
@NullMarked
package io.rdma4j.control.command.ping;

import org.jspecify.annotations.NullMarked;
