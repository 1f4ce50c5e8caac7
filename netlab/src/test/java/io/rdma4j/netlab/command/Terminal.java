// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.net.NetDevice;
import io.rdma4j.netlab.Machine;
import io.rdma4j.netlab.topology.ConfigWords;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Objects;

/** Runs lines in a machine's shell. */
record Terminal(Machine machine) {
    /** Runs a line that must succeed and returns its output, without the last end of line. */
    String type(String line) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exit = Shell.run(machine, ConfigWords.split(line), new PrintWriter(out), new PrintWriter(err));
        assertThat(exit).as(line + ": " + err).isZero();
        return out.toString().stripTrailing();
    }

    /** The device of this name in the initial namespace; fails if there is none. */
    NetDevice device(String name) {
        return Objects.requireNonNull(machine.find(Machine.INITIAL, name), name);
    }

    /** Runs a line that must fail and returns its error messages. */
    String fail(String line) {
        StringWriter err = new StringWriter();
        int exit =
                Shell.run(machine, ConfigWords.split(line), new PrintWriter(new StringWriter()), new PrintWriter(err));
        assertThat(exit).as(line).isNotZero();
        return err.toString().stripTrailing();
    }
}
