package io.rdma4j.net;

/** How a driver hands over what has arrived (the {@code poll} function of {@code napi_struct}). */
@FunctionalInterface
public interface NapiPoll {
    /**
     * Takes packets from the link until it has none or {@code budget} is used up; by the owner of the loop. Allocates nothing.
     *
     * @param budget packets
     * @return how many, at most {@code budget}; less means that the link was empty
     */
    int poll(int budget);
}
