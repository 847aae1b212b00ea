/** Settings of every AWS client. A call inside one region takes 5 to 20 ms: what has not answered after 3 s is lost,
 *  and the queue tries again. Milliseconds. */
export const clientSettings = {
  maxAttempts: 3,
  requestHandler: {
    connectionTimeout: 1_000,
    requestTimeout: 3_000,
    /** Without it the SDK only logs that the time is over. */
    throwOnRequestTimeout: true,
  },
};
