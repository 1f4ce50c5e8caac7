// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Creates a {@link Fabric} for each test: hosts with one RDMA device each, behind one switch. The annotation of a
 * method overrides that of its class, which overrides that of the enclosing class.
 *
 * <p>Parameters of the test, of {@code @BeforeEach} and of {@code @AfterEach} methods may be a {@link Fabric}, a {@link
 * io.rdma4j.testing.endpoint.QpPair} (connected queue pairs of the first two hosts), and with {@link OnHost} a {@link
 * RdmaHost}, a {@link io.rdma4j.netlab.Machine} or a {@link io.rdma4j.verbs.Context}. All of them are closed after the
 * test.
 *
 * <p>If the test fails, the extension publishes a capture of each host and a flight recording as files, and the seed
 * and the command that repeats the test as a report entry. The same text is added to the failure as a suppressed
 * exception.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(RdmaFabricExtension.class)
public @interface RdmaFabric {
    /** {@return the number of hosts, named {@code host0}, {@code host1} …, with the addresses 10.0.0.1, 10.0.0.2 …} */
    int hosts() default 2;

    /** {@return the probability that a packet between two hosts is lost, from 0 to 1} */
    double loss() default 0;

    /**
     * {@return further properties of what each host sends, in the words of {@code tc netem}} For example {@code "delay
     * 50us 10us reorder 1% corrupt 0.1% rate 10gbit mtu 1500"}. The defaults are a delay of 10 µs and an MTU of 4200.
     */
    String link() default "";

    /**
     * {@return the seed of the faults} The JUnit configuration parameter or system property {@code rdma4j.testkit.seed}
     * overrides it.
     */
    long seed() default 1;

    /**
     * {@return whether time is virtual} It advances from event to event while the test waits with {@link Fabric},
     * {@link io.rdma4j.testing.endpoint.Endpoint} or {@link Fabric#pass}, and only one thread may use the fabric. The
     * same seed then gives the same packets at the same times.
     */
    boolean virtualTime() default false;

    /**
     * {@return a topology in place of {@link #hosts}, {@link #loss} and {@link #link}} The text has the format of
     * {@link io.rdma4j.netlab.topology.TopologyParser}. Machines with an RDMA device are the hosts, in the order of the
     * text.
     */
    String topology() default "";

    /**
     * {@return whether a test fails that leaves objects open, such as queue pairs; otherwise they are reported only}
     */
    boolean strict() default false;

    /** {@return whether the frames of all hosts are captured, for the case that the test fails} */
    boolean capture() default true;

    /** {@return whether a flight recording runs, for the case that the test fails} */
    boolean recording() default true;
}
