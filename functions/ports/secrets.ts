/** Reads secrets by the names in the configuration. */
export interface Secrets {
  /** The valid values of a secret, newest first: two during a rotation, else one. Throws Transient if it cannot be
   *  read.
   *  @param options `fresh`: bypasses the cache, because a cached value was just refused */
  read(name: string, options?: { readonly fresh?: boolean }): Promise<readonly string[]>;
}

/** Stores a new value of an existing secret; the previous one stays valid. */
export interface SecretWriter {
  /** Throws Transient, whose message never contains the value. */
  write(name: string, value: string): Promise<void>;
}
