// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;

/** Checks of an agent's setup that do not depend on other agents. */
final class AgentRules {
    /** {@code MAX_MGMT_VERSION} of Linux. */
    private static final int VERSIONS = 0x83;
    /** {@code MAX_MGMT_CLASS} of Linux. */
    private static final int CLASSES = 80;

    private static final int MAX_OUI = 0xFF_FFFF;

    private AgentRules() {}

    /**
     * @param qpType GSI or SMI: that of the layer's queue pair
     * @throws RdmaException EPROTONOSUPPORT for the other one of the two, otherwise EINVAL
     */
    static void check(MadAgentSetup setup, QpType qpType) {
        if (setup.qpType() != QpType.GSI && setup.qpType() != QpType.SMI) {
            throw invalid("agents are of type GSI or SMI, not " + setup.qpType());
        }
        if (setup.qpType() != qpType) {
            throw new RdmaException(
                    Errno.EPROTONOSUPPORT,
                    "an agent of type " + setup.qpType() + " needs a queue pair of this type, and this one is of type "
                            + qpType);
        }
        if (setup.rmppVersion() != 0 && setup.rmppVersion() != 1) {
            throw invalid("RMPP version " + setup.rmppVersion() + " is not 0 or 1");
        }
        if (setup.receiveBuffers() < 1) {
            throw invalid("a limit of " + setup.receiveBuffers() + " receive buffers is less than 1");
        }
        MadRegistration registration = setup.registration();
        if (registration != null) {
            check(setup, registration);
        } else if (setup.sendHandler() == null) {
            throw invalid("an agent without registration only sends, and has no send handler");
        }
    }

    private static void check(MadAgentSetup setup, MadRegistration registration) {
        int mgmtClass = registration.mgmtClass();
        if (setup.receiveHandler() == null) {
            throw invalid("an agent with a registration receives, and has no receive handler");
        }
        if (registration.classVersion() < 0 || registration.classVersion() >= VERSIONS) {
            throw invalid(
                    String.format("class version 0x%x is not in 0..0x%x", registration.classVersion(), VERSIONS - 1));
        }
        if (mgmtClass != MadClass.SUBN_DIRECTED_ROUTE.code() && (mgmtClass < 1 || mgmtClass >= CLASSES)) {
            throw invalid(String.format("class 0x%02x is not in 0x01..0x%02x", mgmtClass, CLASSES - 1));
        }
        if (MadFormat.isSubnetManagement(mgmtClass) != (setup.qpType() == QpType.SMI)) {
            throw invalid(
                    String.format("class 0x%02x does not belong to an agent of type %s", mgmtClass, setup.qpType()));
        }
        if (setup.rmppVersion() != 0 && !MadFormat.hasRmpp(mgmtClass)) {
            throw invalid(String.format("class 0x%02x has no RMPP", mgmtClass));
        }
        boolean hasOui = MadClass.hasOui(mgmtClass);
        if (hasOui != (registration.oui() != 0) || registration.oui() < 0 || registration.oui() > MAX_OUI) {
            throw invalid(String.format(
                    "OUI 0x%06x of class 0x%02x: classes 0x30 to 0x4f have one of 24 bits, others 0",
                    registration.oui(), mgmtClass));
        }
        for (int method : registration.methods()) {
            if (method < 0 || method >= MadMethod.RESPONSE) {
                throw invalid("method " + method + " is not in 0..127");
            }
        }
    }

    private static RdmaException invalid(String message) {
        return new RdmaException(Errno.EINVAL, message);
    }
}
