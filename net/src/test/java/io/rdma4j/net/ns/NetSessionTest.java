// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.testing.ledger.Covers;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

@Covers("NETNS-6")
class NetSessionTest {
    private final NetHost host = NetHost.create(NanoClock.SYSTEM);
    private final NetSession admin = host.session(true);
    private final NetSession user = host.session(false);

    private static void refused(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EPERM));
    }

    @Test
    void aProgramIsInTheInitialNamespaceAndSoAreThoseThatItStarts() {
        assertThat(user.namespace()).isSameAs(host.initial());
        assertThat(user.fork().namespace()).isSameAs(host.initial());
    }

    @Test
    void withPrivilegeAProgramGoesToANamespaceOfItsOwn() {
        NetNamespace own = admin.unshare();
        assertThat(admin.namespace()).isSameAs(own).isNotSameAs(host.initial());
        NetDevice device = admin.namespace().register(StubDriver.device("eth%d"));
        assertThat(NetNamespace.of(device)).isSameAs(own);
        try (NetSession child = admin.forkInNewNamespace()) {
            assertThat(child.namespace()).isNotSameAs(own);
            assertThat(host.namespaces()).hasSize(3);
            child.join(own);
            assertThat(child.namespace()).isSameAs(own);
        }
        assertThat(host.namespaces()).containsExactly(host.initial(), own);
    }

    @Test
    void withoutPrivilegeItStaysWhereItIs() {
        NetNamespace other = host.createNamespace();
        refused(user::unshare);
        refused(user::forkInNewNamespace);
        refused(() -> user.join(other));
        assertThat(user.namespace()).isSameAs(host.initial());
        assertThat(host.namespaces()).containsExactly(host.initial(), other);
    }

    @Test
    void aUserNamespaceOfItsOwnGivesItPrivilegeThereAndNowhereElse() {
        user.unshareUser();
        NetNamespace own = user.unshare();
        refused(() -> user.join(host.initial()));
        admin.join(own);
        assertThat(admin.namespace()).isSameAs(own);
        NetSession stranger = host.session(false);
        refused(() -> stranger.join(own));
        stranger.unshareUser();
        refused(() -> stranger.join(own));
    }

    @Test
    void aNamespaceGoesWithTheLastProgramInIt() {
        NetNamespace own = admin.unshare();
        NetSession child = admin.fork();
        admin.join(host.initial());
        assertThat(host.namespaces()).contains(own);
        child.close();
        child.close();
        assertThat(host.namespaces()).doesNotContain(own);
        assertThatThrownBy(() -> admin.join(own))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOENT));
        assertThat(admin.namespace()).isSameAs(host.initial());
    }

    @Test
    void aNamespaceThatItsMakerClosedStaysForTheProgramsInIt() {
        NetNamespace made = host.createNamespace();
        admin.join(made);
        made.close();
        assertThat(made.devices()).hasSize(1);
        admin.close();
        assertThat(made.devices()).isEmpty();
    }

    @Test
    void aProgramJoinsNamespacesOfItsOwnMachineOnly() {
        NetNamespace foreign = NetHost.create(NanoClock.SYSTEM).initial();
        assertThatThrownBy(() -> admin.join(foreign))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }
}
