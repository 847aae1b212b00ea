/** Who hears of an incident now, and who exists at all. Names of targets. */
export interface Audience {
  readonly hear: readonly string[];
  readonly all: readonly string[];
  /** Of those who hear of it, the ones who do so only because nobody has taken it for so long. */
  readonly escalatedTo?: readonly string[] | undefined;
}
