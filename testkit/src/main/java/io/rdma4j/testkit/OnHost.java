// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Selects the host of a parameter of type {@link RdmaHost}, {@link io.rdma4j.netlab.Machine} or {@link
 * io.rdma4j.verbs.Context}, by its number or by its name.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface OnHost {
    /** {@return the number of the host, from 0; ignored if there is a name} */
    int value() default 0;

    /** {@return the name of the host, or empty} */
    String name() default "";
}
