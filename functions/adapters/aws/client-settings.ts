/** Settings of every AWS client. A call within one region takes 5 to 20 ms: without an answer after 3 s it is lost, and
 *  the queue retries. Milliseconds. */
export const clientSettings = {
  maxAttempts: 3,
  requestHandler: {
    connectionTimeout: 1_000,
    requestTimeout: 3_000,
    /** Without it the SDK only logs the timeout. */
    throwOnRequestTimeout: true,
  },
};
