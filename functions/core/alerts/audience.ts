/** Names of targets: those that an incident is sent to now, and all that exist. */
export interface Audience {
  readonly hear: readonly string[];
  readonly all: readonly string[];
  /** Those of `hear` that were added by escalation. */
  readonly escalatedTo?: readonly string[] | undefined;
}
