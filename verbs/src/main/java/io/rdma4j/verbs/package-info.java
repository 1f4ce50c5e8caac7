/**
 * The verbs API: devices, protection domains, memory, queues, work requests and completions.
 *
 * <p>The classes of this package check arguments, count users of objects and enforce the order of destruction, for
 * every provider in the same way. Providers implement {@link io.rdma4j.verbs.spi}. The package contains no packet or
 * network code.
 */
@NullMarked
package io.rdma4j.verbs;

import org.jspecify.annotations.NullMarked;
