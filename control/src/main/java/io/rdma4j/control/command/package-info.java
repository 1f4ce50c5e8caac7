/**
 * The commands that set a machine up and show it, in the words and with the output that people know from Linux: {@code ip}, {@code ethtool},
 * {@code tc}, {@code rdma} and others, one class a command. {@link io.rdma4j.control.command.Shell} runs them; tools, topology files and
 * tests call it.
 */
@NullMarked
package io.rdma4j.control.command;

import org.jspecify.annotations.NullMarked;
