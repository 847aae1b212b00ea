/** What came of a request. `changed`: there is something to undo. */
export interface Outcome {
  readonly said: string;
  readonly changed: boolean;
}
