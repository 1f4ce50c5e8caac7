/** What is played with the lab: scenarios, in both directions, over several carriers; and what others say of the packets. */
@NullMarked
package io.rdma4j.interop.suite;

import org.jspecify.annotations.NullMarked;
