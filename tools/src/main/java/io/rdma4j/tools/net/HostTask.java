// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.net;

import io.rdma4j.tools.cli.UsageException;
import java.util.List;

/**
 * A program to run on a host.
 *
 * @param words name and arguments, at least one
 */
record HostTask(String host, List<String> words) {
    HostTask {
        words = List.copyOf(words);
    }

    /**
     * Parses {@code [HOST:] PROGRAM [ARGUMENT...]}.
     *
     * @param firstHost host if none is named; empty if one must be named
     */
    static HostTask parse(List<String> words, String firstHost) {
        String first = words.isEmpty() ? "" : words.getFirst();
        boolean named = first.length() > 1 && first.endsWith(":");
        String host = named ? first.substring(0, first.length() - 1) : firstHost;
        List<String> rest = named ? words.subList(1, words.size()) : words;
        if (host.isEmpty()) {
            throw new UsageException("'" + first + "' is no host: write its name and a colon, as in 'a: ip addr show'");
        }
        if (rest.isEmpty()) {
            throw new UsageException("what is to run on host " + host + " is missing");
        }
        return new HostTask(host, rest);
    }
}
