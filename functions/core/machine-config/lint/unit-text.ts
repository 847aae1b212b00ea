import { listAt, textAt } from '../json.ts';

/** The full text of a unit, including its drop-ins. */
export function unitText(value: unknown): string {
  return [textAt(value, 'contents'), ...listAt(value, 'dropins').map((dropin) => textAt(dropin, 'contents'))].join(
    '\n',
  );
}
