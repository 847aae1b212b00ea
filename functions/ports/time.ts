/** The time, read once per record or pass. */
export type Clock = () => Date;

/** Waiting, injected so that tests never wait. Milliseconds. */
export type Sleep = (ms: number) => Promise<void>;
