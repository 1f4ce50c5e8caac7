// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.ledger;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Names the rows of the feature list ({@code spec/features.csv}) that a test proves.
 *
 * <p>Claim a row only if the test would fail without the feature. A claim of a class counts if every test of the class
 * has passed and none was skipped; a claim of a method counts if that method has passed. An id that is not in the list
 * fails the test.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(ClaimCheck.class)
public @interface Covers {
    /** {@return row ids, for example {@code "QP-40"}} */
    String[] value();
}
