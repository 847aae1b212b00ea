import type { Earlier } from '../../core/requests/undo-of.ts';

/** What came of a request. `changed`: there is something to undo. `earlier`: absent where there was nothing before. */
export interface Outcome {
  readonly said: string;
  readonly changed: boolean;
  readonly earlier?: Earlier;
}
