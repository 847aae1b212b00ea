import { mappingAt, textAt } from '../../core/openshift/member.ts';
import { isOwnObject } from '../../core/sequences/own-object.ts';
import type { FormerObject } from '../../core/sequences/record.ts';
import { Transient } from '../../core/text/errors.ts';
import type { ObjectReader } from '../../ports/cluster.ts';

/** The metadata of an object that a sequence has made; undefined: it is gone, or another stands in its place. Whoever
 *  may write an object may give it our labels: one that was made anew is not ours. Throws Transient. */
export async function findMade(
  sequence: string,
  { path, uid }: Pick<FormerObject, 'path' | 'uid'>,
  reader: ObjectReader,
): Promise<unknown> {
  const found = await reader.read({ path, query: {}, form: 'metadata' });
  if (found.kind === 'failed')
    throw new Transient(found.why, { kind: found.isForbidden === true ? 'forbidden' : 'unreachable' });
  if (found.kind === 'absent' || !isOwnObject(sequence, found.body)) return undefined;
  return textAt(mappingAt(found.body, 'metadata'), 'uid') === uid ? found.body : undefined;
}
