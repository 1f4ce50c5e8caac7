// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which agents a port admits: the table of refusals. */
class AgentRegistrationTest {
    private static final int OUI = 0x001405;

    private final MadPort port = new MadWire(1).station("10.0.0.1").port;
    private final MadAgentSetup complete = new Recorder().setup();

    private void refused(Errno errno, MadAgentSetup setup, String... words) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> port.register(setup))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(errno))
                .satisfies(e -> assertThat(e.getMessage()).contains(words));
    }

    private static MadRegistration of(int mgmtClass, int version, int oui, Integer... methods) {
        return new MadRegistration(mgmtClass, version, oui, Set.of(methods));
    }

    @Test
    void aPortWithoutSmiHasNoAgentsForIt() {
        refused(Errno.EPROTONOSUPPORT, complete.qpType(QpType.SMI), "queue pair");
        refused(Errno.EINVAL, complete.qpType(QpType.UD), "UD");
    }

    @ParameterizedTest
    @CsvSource({"2", "-1", "255"})
    void theRmppVersionIs0Or1(int version) {
        refused(Errno.EINVAL, complete.rmppVersion(version), String.valueOf(version));
    }

    @ParameterizedTest
    @CsvSource({
        "0x04, 0x83, 0, 0x83", // class version
        "0x00, 1, 0, 0x00", // class 0
        "0x50, 1, 0, 0x50", // class 80
        "0xFF, 1, 0, 0xff",
        "0x01, 1, 0, 0x01", // SM classes belong to QP0
        "0x81, 1, 0, 0x81",
        "0x30, 1, 0, OUI", // vendor range 2 without OUI
        "0x04, 1, 5, OUI",
        "0x30, 1, 0x1000000, OUI"
    })
    void classVersionAndOuiHaveTheirRange(String mgmtClass, String version, String oui, String word) {
        MadRegistration registration = of(Integer.decode(mgmtClass), Integer.decode(version), Integer.decode(oui), 1);
        refused(Errno.EINVAL, complete.registration(registration), word);
    }

    @Test
    void theHighestClassAndVersionAreAccepted() {
        port.register(complete.registration(of(0x4F, 0x82, OUI, 1))).close();
        port.register(complete.registration(of(0x2F, 0, 0, 0, 127))).close();
    }

    @Test
    void aMethodHasSevenBits() {
        refused(Errno.EINVAL, complete.registration(of(4, 1, 0, 128)), "128");
        refused(Errno.EINVAL, complete.registration(of(4, 1, 0, -1)), "-1");
    }

    @Test
    void anAgentWithARegistrationNeedsAReceiveHandler() {
        MadAgentSetup deaf = MadAgentSetup.DEFAULT.onSent((_, _) -> {}).registration(of(4, 1, 0, 1));
        refused(Errno.EINVAL, deaf, "receive handler");
    }

    @Test
    void anAgentWithoutRegistrationNeedsASendHandler() {
        refused(Errno.EINVAL, MadAgentSetup.DEFAULT.onReceived((_, mad) -> mad.close()), "send handler");
    }

    @Test
    void anAgentNeedsReceiveBuffers() {
        refused(Errno.EINVAL, complete.receiveBuffers(0), "0");
    }

    @ParameterizedTest
    @CsvSource({"4", "7", "8", "0x21", "0x09"})
    void aClassWithoutRmppHasNoAgentsWithIt(String mgmtClass) {
        refused(Errno.EINVAL, complete.rmppVersion(1).registration(of(Integer.decode(mgmtClass), 1, 0, 1)), "RMPP");
    }

    @ParameterizedTest
    @CsvSource({"3", "6", "0x10", "0x12"})
    void classesWithRmppHaveAgentsWithIt(String mgmtClass) {
        port.register(complete.rmppVersion(1).registration(of(Integer.decode(mgmtClass), 1, 0, 1)))
                .close();
    }

    @Test
    void twoAgentsShareAClassIfTheirMethodsDiffer() {
        MadAgent first = port.register(complete.registration(MadRegistration.of(MadClass.PERF_MGT, 1, 2)));
        MadAgent second = port.register(complete.registration(MadRegistration.of(MadClass.PERF_MGT, 3)));
        refused(
                Errno.EINVAL,
                complete.registration(MadRegistration.of(MadClass.PERF_MGT, 2, 5)),
                "0x02",
                "registered by another agent");
        // Another version is another class.
        MadAgent other = port.register(complete.registration(of(MadClass.PERF_MGT.code(), 2, 0, 2)));
        first.close();
        MadAgent third = port.register(complete.registration(MadRegistration.of(MadClass.PERF_MGT, 2, 5)));
        assertThat(Set.of(first.number(), second.number(), other.number(), third.number()))
                .hasSize(4);
    }

    @Test
    void aClassHasAtMostEightOuis() {
        List<MadAgent> agents = new ArrayList<>();
        for (int oui = 1; oui <= 8; oui++) {
            agents.add(port.register(complete.registration(MadRegistration.vendor(0x30, oui, 1))));
        }
        refused(Errno.EINVAL, complete.registration(MadRegistration.vendor(0x30, 9, 1)), "8");
        port.register(complete.registration(MadRegistration.vendor(0x30, 8, 2)));
        port.register(complete.registration(MadRegistration.vendor(0x31, 9, 1)));
        agents.getFirst().close();
        port.register(complete.registration(MadRegistration.vendor(0x30, 9, 1)));
    }

    @Test
    void agentNumbersAreTheUpperHalfOfTransactionIds() {
        MadAgent first = port.register(complete);
        MadAgent second = port.register(complete);
        assertThat(second.number()).isEqualTo(first.number() + 1).isBetween(1, (1 << 24) - 1);
        long id = first.nextTransactionId();
        assertThat(id >>> 32).isEqualTo(first.number());
        assertThat(first.nextTransactionId()).isNotEqualTo(id);
        assertThat((int) id).isNotEqualTo((int) second.nextTransactionId());
    }

    @Test
    void aClosedAgentDoesNotSend() {
        MadAgent agent = port.register(complete);
        agent.close();
        agent.close();
        MadSend send = MadSend.of(
                new MadWire(1).station("10.0.0.9").address(),
                Recorder.datagram(MadClass.PERF_MGT, MadMethod.GET, agent.nextTransactionId()));
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> agent.send(send))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }
}
