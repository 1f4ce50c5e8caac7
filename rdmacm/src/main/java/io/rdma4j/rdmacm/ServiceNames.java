// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * The names of port numbers: a file of lines {@code name port/protocol alias…}, as {@code getservbyname} reads it.
 *
 * @param file may be missing: then no name is known
 */
record ServiceNames(Path file) {
    private static final int MAX_PORT = 0xFFFF;
    private static final int FIRST_ALIAS = 2;

    static ServiceNames ofHost() {
        return new ServiceNames(Path.of("/etc/services"));
    }

    /** The port of decimal digits, or of a name for a protocol; EINVAL if there is none. */
    int port(String service, String protocol) {
        if (service.chars().allMatch(Character::isDigit) && !service.isEmpty()) {
            return checked(service);
        }
        for (String line : lines()) {
            String[] words = line.split("#", 2)[0].trim().split("\\s+");
            if (words.length >= FIRST_ALIAS && isNamed(words, service)) {
                String[] port = words[1].split("/", 2);
                if (port.length == 2 && port[1].equals(protocol)) {
                    return checked(port[0]);
                }
            }
        }
        throw new RdmaException(
                Errno.EINVAL, "the service " + service + " is no port number, and " + file + " has no such name");
    }

    private static boolean isNamed(String[] words, String service) {
        return words[0].equals(service)
                || List.of(words).subList(FIRST_ALIAS, words.length).contains(service);
    }

    private static int checked(String digits) {
        try {
            int port = Integer.parseInt(digits);
            if (port >= 0 && port <= MAX_PORT) {
                return port;
            }
        } catch (NumberFormatException e) {
            throw new RdmaException(Errno.EINVAL, "port " + digits + " is no number of 16 bits", e);
        }
        throw new RdmaException(Errno.EINVAL, "port " + digits + " does not fit into 16 bits");
    }

    private List<String> lines() {
        try {
            return Files.readAllLines(file, StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException _) {
            return List.of();
        } catch (IOException e) {
            throw new RdmaException(Errno.EIO, file + " cannot be read", e);
        }
    }
}
