/** What benchmarks set up through the verbs: a device that talks to itself, and connected queue pairs on it. */
@NullMarked
package io.rdma4j.bench.verbs;

import org.jspecify.annotations.NullMarked;
