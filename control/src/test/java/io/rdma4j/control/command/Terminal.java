package io.rdma4j.control.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.control.Machine;
import io.rdma4j.control.topology.Words;
import io.rdma4j.net.NetDevice;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Objects;

/** Types lines at a machine's shell. */
record Terminal(Machine machine) {
    /** What a line prints that must go well, without the last end of line. */
    String type(String line) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exit = Shell.run(machine, Words.split(line), new PrintWriter(out), new PrintWriter(err));
        assertThat(exit).as(line + ": " + err).isZero();
        return out.toString().stripTrailing();
    }

    /** The device of this name in the initial namespace, which must be there. */
    NetDevice device(String name) {
        return Objects.requireNonNull(machine.find(Machine.INITIAL, name), name);
    }

    /** What a line complains about that must fail. */
    String fail(String line) {
        StringWriter err = new StringWriter();
        int exit = Shell.run(machine, Words.split(line), new PrintWriter(new StringWriter()), new PrintWriter(err));
        assertThat(exit).as(line).isNotZero();
        return err.toString().stripTrailing();
    }
}
