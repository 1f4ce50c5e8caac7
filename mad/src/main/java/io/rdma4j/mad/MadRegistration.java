// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

import io.rdma4j.wire.mad.MadClass;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Selects the unsolicited datagrams that an agent receives. Corresponds to {@code struct ib_mad_reg_req}.
 *
 * @param mgmtClass {@code mgmt_class}: 8 bits
 * @param classVersion {@code mgmt_class_version}: 8 bits
 * @param oui {@code oui}: 24 bits, of the classes 0x30 to 0x4F; 0 for other classes
 * @param methods {@code method_mask}: method codes without the response bit, 0 to 127
 */
public record MadRegistration(int mgmtClass, int classVersion, int oui, Set<Integer> methods) {
    /** Copies the set. */
    public MadRegistration {
        methods = Set.copyOf(methods);
    }

    /**
     * {@return a registration for a class in the version of the specification}
     *
     * @param mgmtClass a class without OUI
     * @param methods method codes without the response bit, 0 to 127
     */
    public static MadRegistration of(MadClass mgmtClass, int... methods) {
        return new MadRegistration(mgmtClass.code(), mgmtClass.version(), 0, set(methods));
    }

    /**
     * {@return a registration for a class of the vendor range with OUI, class version 1}
     *
     * @param mgmtClass 0x30 to 0x4F
     * @param oui 24 bits, not 0
     * @param methods method codes without the response bit, 0 to 127
     */
    public static MadRegistration vendor(int mgmtClass, int oui, int... methods) {
        return new MadRegistration(mgmtClass, 1, oui, set(methods));
    }

    private static Set<Integer> set(int... methods) {
        return Arrays.stream(methods).boxed().collect(Collectors.toUnmodifiableSet());
    }
}
