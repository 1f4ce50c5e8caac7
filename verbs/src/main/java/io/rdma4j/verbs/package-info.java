/**
 * The verbs API: devices, protection domains, memory, queues, work requests and completions.
 *
 * <p>The types here check arguments, count uses and keep the destroy
 * order for every provider alike; what differs between providers is behind the provider interface. Nothing here
 * knows packets or networks.
 */
@NullMarked
package io.rdma4j.verbs;

import org.jspecify.annotations.NullMarked;
