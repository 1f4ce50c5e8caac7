package io.rdma4j.tools.net;

import io.rdma4j.tools.cli.Command;
import io.rdma4j.verbs.Host;
import org.jspecify.annotations.Nullable;

/** Finds the project's tools. */
@FunctionalInterface
public interface ToolFinder {
    /** The tool of this name, made for one run over the devices of a host; null if there is none. */
    @Nullable
    Command find(String name, Host host);
}
