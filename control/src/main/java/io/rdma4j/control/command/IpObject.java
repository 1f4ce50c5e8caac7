package io.rdma4j.control.command;

/** What {@code ip} works on: links, addresses, routes. Has no state. */
interface IpObject {
    /** Its name in full, such as {@code neighbour}. */
    String name();

    /**
     * Does what follows the name.
     *
     * @return exit code, 0 if all went well
     * @throws UsageException if the words make no sense
     * @throws io.rdma4j.base.RdmaException what the machine refuses
     */
    int run(Session session, IpOptions options, Arguments words);
}
