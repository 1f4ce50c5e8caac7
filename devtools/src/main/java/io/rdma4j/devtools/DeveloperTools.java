// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.devtools;

import io.rdma4j.tools.cli.Tool;
import io.rdma4j.tools.cli.ToolSource;
import java.util.List;

/** The tools of this module. */
public final class DeveloperTools implements ToolSource {
    /** Called by {@link java.util.ServiceLoader}. */
    public DeveloperTools() {}

    @Override
    public List<Tool> tools() {
        return List.of(
                new Tool(
                        "sim",
                        "messages over a network that loses and spoils packets, from a seed",
                        _ -> new SimCommand()),
                new Tool(
                        "interop",
                        "scenarios with the real Linux driver and rdma-core, in a guest",
                        _ -> new InteropCommand()),
                new Tool(
                        "programs",
                        "unpack the programs of rdma-core and perftest for 'run', without installing them",
                        _ -> new ProgramsCommand()),
                new Tool(
                        "dropin",
                        "play programs of rdma-core and perftest, and rdma-core's tests, with the library of 'run'",
                        _ -> new DropinCommand()),
                new Tool(
                        "features",
                        "rows of the feature list that the last test run proved",
                        _ -> new FeaturesCommand()));
    }
}
