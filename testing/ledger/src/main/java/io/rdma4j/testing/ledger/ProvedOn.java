// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.ledger;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names the {@link Ground} of a test's claims, if it differs from the ground of the module ({@code ledger.ground} in
 * its POM).
 *
 * <p>The annotation of a method overrides that of its class, which overrides that of the enclosing class.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface ProvedOn {
    /** {@return {@code core}, {@code device}, {@code carrier:NAME} or {@code interop}} */
    String value();
}
