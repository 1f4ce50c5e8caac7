/**
 * What client and server say to each other: the table of commands, their attributes, and how both become bytes. Knows nothing of
 * devices.
 */
@NullMarked
package io.rdma4j.uverbs.abi;

import org.jspecify.annotations.NullMarked;
