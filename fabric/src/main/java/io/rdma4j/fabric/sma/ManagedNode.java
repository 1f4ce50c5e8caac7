// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric.sma;

import io.rdma4j.fabric.IbEndPort;
import io.rdma4j.fabric.IbPort;
import io.rdma4j.fabric.IbSwitch;
import io.rdma4j.packet.SkBuff;
import org.jspecify.annotations.Nullable;

/** A node as subnet management sees it: a switch, or a channel adapter with one port. */
interface ManagedNode {
    boolean isSwitch();

    /** Number of ports with a link. */
    int portCount();

    /** Returns a port with a link, 1 to {@link #portCount}. */
    IbPort port(int number);

    /** LID of the node's own end of a path. */
    int lid();

    /** Returns true for a LID of the node itself. */
    boolean owns(int candidate);

    /** Assigns the LIDs. */
    void lid(int base, int maskBits);

    void send(SkBuff packet);

    void sendBy(SkBuff packet, int port);

    /** The switch, or null. */
    @Nullable
    IbSwitch asSwitch();

    /** Sets the lane of a service level between two ports. */
    void slToVl(int inputPort, int outputPort, int serviceLevel, int lane);

    /** A switch. Its LID is that of port 0. */
    static ManagedNode of(IbSwitch node) {
        return new ManagedNode() {
            private int lid;

            @Override
            public boolean isSwitch() {
                return true;
            }

            @Override
            public int portCount() {
                return node.portCount();
            }

            @Override
            public IbPort port(int number) {
                return node.port(number);
            }

            @Override
            public int lid() {
                return lid;
            }

            @Override
            public boolean owns(int candidate) {
                return lid != 0 && candidate == lid;
            }

            @Override
            public void lid(int base, int maskBits) {
                lid = base;
                node.ownLid(base);
            }

            @Override
            public void send(SkBuff packet) {
                node.send(packet);
            }

            @Override
            public void sendBy(SkBuff packet, int port) {
                node.sendBy(packet, port);
            }

            @Override
            public IbSwitch asSwitch() {
                return node;
            }

            @Override
            public void slToVl(int inputPort, int outputPort, int serviceLevel, int lane) {
                node.slToVl(inputPort, outputPort, serviceLevel, lane);
            }
        };
    }

    /** A channel adapter with one port. */
    static ManagedNode of(IbEndPort end) {
        return new ManagedNode() {
            @Override
            public boolean isSwitch() {
                return false;
            }

            @Override
            public int portCount() {
                return 1;
            }

            @Override
            public IbPort port(int number) {
                return end.port();
            }

            @Override
            public int lid() {
                return end.lid();
            }

            @Override
            public boolean owns(int candidate) {
                return end.owns(candidate);
            }

            @Override
            public void lid(int base, int maskBits) {
                end.lid(base, maskBits);
            }

            @Override
            public void send(SkBuff packet) {
                end.send(packet);
            }

            @Override
            public void sendBy(SkBuff packet, int port) {
                end.send(packet);
            }

            @Override
            public @Nullable IbSwitch asSwitch() {
                return null;
            }

            @Override
            public void slToVl(int inputPort, int outputPort, int serviceLevel, int lane) {
                end.slToVl(serviceLevel, lane);
            }
        };
    }
}
