/** Benchmarks of single parts, by JMH: codecs, ICRC, rings, the engine without I/O, and a device that talks to itself. */
@NullMarked
package io.rdma4j.bench.micro;

import org.jspecify.annotations.NullMarked;
