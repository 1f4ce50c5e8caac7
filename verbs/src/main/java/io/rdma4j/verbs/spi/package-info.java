/**
 * What a device provider implements, one small interface for each kind of object, and what it calls back.
 *
 * <p>{@link io.rdma4j.verbs} calls it after it has checked arguments, states and use counts; programs have no business
 * here. An operation that a provider does not have answers EOPNOTSUPP by its default method.
 */
@NullMarked
package io.rdma4j.verbs.spi;

import org.jspecify.annotations.NullMarked;
