import { describe, expect, test } from 'vitest';
import { defaultPolicy } from '../../../../functions/core/configuration/policy.ts';
import type { Node } from '../../../../functions/core/openshift/node.ts';
import type { Pool } from '../../../../functions/core/openshift/pool.ts';
import { firstEvidence } from '../../../../local/cli/explain/first-evidence.ts';
import { sourceFiles } from '../../../architecture/source-files.ts';
import { aCondition, aNode, aPool } from '../../../fakes/builders.ts';
import { minutesAgo, newConfig, now } from '../../../functions/core/diagnose/world.ts';

function evidenceOf(pool: Pool, ...nodes: readonly Node[]) {
  return firstEvidence([{ pool, nodes }], { policy: defaultPolicy, now: new Date(now) });
}

/** Its conditions, its nodes and whoever paused it each say since when. */
const dated = aPool({
  target: { name: newConfig, sources: [] },
  pausedBy: { manager: 'kubectl', at: minutesAgo(5) },
  conditions: [
    aCondition({ type: 'Updating', status: 'True', since: minutesAgo(7) }),
    aCondition({ type: 'NodeDegraded', status: 'True', since: minutesAgo(60) }),
    aCondition({ type: 'Degraded', status: 'True', since: minutesAgo(90) }),
  ],
});
const failing = aNode({ name: 'worker-2', state: 'Degraded', desiredConfig: newConfig, reportedAt: minutesAgo(3) });
const waiting = aNode({ name: 'worker-3', desiredConfig: newConfig, targetedAt: minutesAgo(2) });

/** Every place in which the judgement starts a clock, and what a single look makes of it: the keys that it begins with,
 *  or why it has none. */
const clocks: Readonly<Record<string, Readonly<Record<string, string>> | string>> = {
  'since(pool.name, symptom, node.name, node.desiredConfig)': {
    [`worker|failing|worker-2|${newConfig}`]: minutesAgo(3),
    [`worker|waiting|worker-3|${newConfig}`]: minutesAgo(2),
  },
  "since(pool.name, 'build', pool.target.name)": { [`worker|build|${newConfig}`]: minutesAgo(7) },
  "since(pool.name, 'degraded-alone')": { 'worker|degraded-alone': minutesAgo(60) },
  "since(pool.name, 'pending')": { 'worker|pending': minutesAgo(5) },
  // Of a stalled rollout. Of what is not rendered, too: no gate is asked, and a recording that says so has its clock.
  'keep(own, since)': { [`worker|stalled|${newConfig}`]: minutesAgo(7) },
  // Assumed: the pool does not say it, and the time of each node is read with the diagnosis.
  "since(pool.name, 'unavailable')": { 'worker|unavailable': minutesAgo(5) },
  "since(pool.name, 'misplaced')": 'told at once, and no object says when a node came to be in two pools or in none',
  'since(pool.name, ...awayClock(alone))': 'a mark, not a time: of passes that cannot read the cluster',
  'keep(over, known)': 'what was seen before something held the pool, which a single look has not',
  'since(paused)': 'the same',
  'since(heldBackClock(pool))': 'the record has the last pause alone, and no node count of the one before',
  'keep(heldAgainClock(pool), again)': 'the same',
  'since(unseenWindowClock(pool.name))': 'no gate is asked',
  'keep(key, opensAt)': 'no gate is asked',
  "'*|guard|'": 'guards are not looked at',
  "'*|refused|'": 'nothing is to be paused',
  "'*|sequence|lost|'": 'windows of sequences are not put back',
  "'*|suspects|'": 'the first explanation counts at once',
  "'*|sync|'": 'Argo CD is not looked at',
  "'*|undone|'": 'begins with the time that the record of the pool has',
};

describe('the start times of a single look', () => {
  test('[N-12] whatever the judgement times either begins with what the cluster records, or cannot', () => {
    const started = sourceFiles(['functions/core/judge'])
      .filter(({ path }) => !path.endsWith('/clock.ts'))
      .flatMap(({ text }) => text.match(/\b(?:since|keep)\((?:[^()]|\([^()]*\))*\)|'\*\|[a-z|]+'/g) ?? []);

    expect(started.toSorted()).toEqual(Object.keys(clocks).toSorted());
  });

  test('[N-12] they are those of conditions and managedFields', () => {
    const { firstSeen } = evidenceOf(dated, failing, waiting);

    const expected = Object.values(clocks).flatMap((each) => (typeof each === 'string' ? [] : Object.entries(each)));
    expect(firstSeen).toEqual(Object.fromEntries(expected));
  });

  test('[N-12] what nothing records, or a date that cannot be, dates nothing', () => {
    const undated = aPool({
      pausedBy: { manager: 'kubectl', at: undefined },
      conditions: [aCondition({ type: 'Degraded', status: 'True', since: 'long ago' })],
    });
    const later = { ...undated, conditions: [aCondition({ type: 'Degraded', status: 'True', since: minutesAgo(-9) })] };

    for (const pool of [undated, later]) {
      const { firstSeen, assumed } = evidenceOf(pool, { ...failing, reportedAt: undefined });

      expect(Object.keys(firstSeen).toSorted()).toEqual(['worker|stalled|rendered-worker-aaa', 'worker|unavailable']);
      expect([...assumed]).toEqual(expect.arrayContaining(Object.values(firstSeen)));
    }
  });
});
