import type { SequenceRequest } from '../sequences/record.ts';
import type { AskedOfSequence } from '../sequences/steering.ts';
import { safeLine } from '../text/safe-text.ts';
import type { SteerRequest } from './request.ts';

/** The request as it is stored until a pass takes it. A skip without a step is none: undefined.
 *  @param from `id`: the same for a request that is delivered again; `at`: when the surface took it */
export function askedOfSequence(
  { act, sequence, item, reason, incident }: SteerRequest,
  from: { readonly id: string; readonly who: string; readonly at: Date },
): AskedOfSequence | undefined {
  const why = `${reason} (from the message of PK-${incident})`;
  const said = { who: safeLine(from.who, 150), why, at: from.at.toISOString() };
  const request = requestOf(act, item, said);
  return request && { id: from.id, sequence, request };
}

function requestOf(
  act: SteerRequest['act'],
  item: string | undefined,
  said: SequenceRequest['said'],
): SequenceRequest | undefined {
  if (act !== 'skip') return { kind: act, said };
  return item === undefined ? undefined : { kind: act, item, said };
}
