/** Live values of a secret, newest first: two during a rotation, else one. */
export interface Secrets {
  /** `fresh`: past the cache, because a value that it gave was just refused. */
  read(name: string, options?: { readonly fresh?: boolean }): Promise<readonly string[]>;
}

/** Keeps a new value of a secret that exists; the one before stays live for those who still have it. */
export interface SecretWriter {
  /** Throws Transient, whose words never hold the value. */
  write(name: string, value: string): Promise<void>;
}
