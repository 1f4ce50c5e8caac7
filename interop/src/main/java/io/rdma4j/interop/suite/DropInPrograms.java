// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.suite;

import io.rdma4j.interop.lab.Lab;
import java.util.ArrayList;
import java.util.List;

/** Unmodified programs at both ends: in the guest on the kernel's driver, here on rdma4j by the drop-in library. */
final class DropInPrograms {
    private static final String GROUP = "dropin/";

    /** The device of rdma4j, by a name that the drop-in library gives it. */
    private static final String DEVICE = "rxe0";

    private DropInPrograms() {}

    /** All of them. */
    static List<Scenario> all() {
        List<Scenario> all = new ArrayList<>(few());
        all.add(program("ibv_rc_pingpong", "-g", "-c -e -n 50 -s 300000"));
        all.add(program("ibv_rc_pingpong", "-g", "-c -N -n 50"));
        all.add(program("ibv_uc_pingpong", "-g", "-c -n 50"));
        all.add(program("ibv_srq_pingpong", "-g", "-c -n 100 -q 4"));
        all.add(program("ib_write_lat", "-F -x", "-s 64 -n 100"));
        all.add(program("ib_read_bw", "-F -x", "-s 65536 -n 100"));
        all.add(program("ib_atomic_lat", "-F -x", "-n 100"));
        all.add(rping("-S 65535 -C 5"));
        return all;
    }

    /** A few, as a quick test. */
    static List<Scenario> few() {
        return List.of(
                program("ibv_rc_pingpong", "-g", "-c -n 100"),
                program("ibv_ud_pingpong", "-g", "-c -n 100 -s 1024"),
                program("ib_send_lat", "-F -x", "-s 64 -n 100"),
                rping("-C 20"));
    }

    /** @param gid options before the index of the device's GID */
    private static Scenario program(String name, String gid, String options) {
        return new Scenario(
                GROUP + name + " " + options,
                (stage, direction) -> PingPongs.play(
                        stage,
                        direction,
                        name + " -d " + Lab.GUEST_DEVICE + " " + gid + " " + stage.guestGidIndex() + " " + options,
                        name + " -d " + DEVICE + " " + gid + " " + stage.ourGidIndex() + " " + options,
                        stage::startDropIn));
    }

    private static Scenario rping(String options) {
        return new Scenario(GROUP + "rping " + options, (stage, direction) -> {
            ToolPair ends = new ToolPair(stage, direction, true);
            String address = " -p " + ToolPair.PORT + " -a " + ends.address() + " " + options;
            ends.play("rping -s" + address, "rping -c -v -V" + address);
            return "";
        });
    }
}
