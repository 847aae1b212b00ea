import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { chainOf, rootOf } from '../../../functions/core/findings/chain.ts';
import type { Reading } from '../../../local/snapshot/snapshot.ts';
import type { DrainWorld } from './drain-world.ts';
import type { KubeObject } from './kube.ts';

export interface ExpectedChain {
  /** Codes from what is seen down to the root cause. */
  readonly chain: readonly string[];
  /** The sentence of the root cause. */
  readonly says: RegExp;
  /** Beginnings of fields that the root cause is known by. */
  readonly evidence: readonly string[];
}

/** Poolkeeper is asked why the node `a` cannot be drained, and finds this within its calls, with nothing unread. */
export async function expectChain(world: DrainWorld, { chain, says, evidence }: ExpectedChain): Promise<void> {
  const { diagnosis, asked, readings } = await world.diagnose('a');

  await record(world.name, { asked, chain, says: says.source, snapshot: slim(world.name, readings) });
  const [found] = diagnosis.findings;
  if (found === undefined) throw new Error('nothing was found');
  const root = rootOf(found);
  expect(chainOf(found).map(({ code }) => code)).toEqual(chain);
  expect(root.sentence).toMatch(says);
  const known = root.evidence.map(({ path, value }) => `${path}=${value}`);
  for (const wanted of evidence)
    expect(
      known.filter((each) => each.startsWith(wanted)),
      `${wanted} among ${known.join(' | ')}`,
    ).not.toEqual([]);
  expect(diagnosis.unanswered).toEqual([]);
  expect(diagnosis.calls).toBeLessThanOrEqual(15);
}

/** `POOLKEEPER_RECORD_TO=<folder>` keeps what was read and what was made of it, for tests that need no cluster. */
async function record(name: string, recorded: unknown): Promise<void> {
  const folder = process.env['POOLKEEPER_RECORD_TO'];
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify(recorded, withoutAuthors)}\n`);
}

/** A snapshot without the pools of the other worlds. */
function slim(name: string, readings: readonly Reading[]): unknown {
  const isOther = ({ kind, metadata }: KubeObject) => kind === 'MachineConfigPool' && metadata.name !== name;
  const own = JSON.parse(JSON.stringify(readings), (_key, value: unknown) =>
    Array.isArray(value) ? value.filter((each) => each?.kind === undefined || !isOther(each)) : value,
  );
  return { v: 1, cluster: 'lab', takenAt: readings[0]?.readAt, readings: own };
}

/** Who wrote which field is half of every object, and no drain is explained by it. */
function withoutAuthors(key: string, value: unknown): unknown {
  return key === 'managedFields' ? undefined : value;
}
