import { listAt, textAt } from '../json.ts';

/** All that a unit says, its drop-ins included. */
export function unitText(value: unknown): string {
  return [textAt(value, 'contents'), ...listAt(value, 'dropins').map((dropin) => textAt(dropin, 'contents'))].join(
    '\n',
  );
}
