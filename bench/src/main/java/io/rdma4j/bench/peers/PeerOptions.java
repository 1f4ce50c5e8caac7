package io.rdma4j.bench.peers;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the user asked for.
 *
 * @param root of the project
 * @param rows regular expression: which rows
 * @param runs how often each
 * @param quick only to see that it works
 * @param alone without the peers: ours and the limits only
 * @param tools the command line of our tools, without the name of one
 * @param json file for the document; null for none
 * @param report file for the page; null for none
 */
public record PeerOptions(
        Path root,
        String rows,
        int runs,
        boolean quick,
        boolean alone,
        List<String> tools,
        @Nullable Path json,
        @Nullable Path report) {}
