import { describe, expect, test } from 'vitest';
import { slackMessage } from '../../functions/core/alerts/message/slack.ts';
import { defaultPolicy } from '../../functions/core/configuration/policy.ts';
import { type GuardView, guardsOfPool, waitOfGuard } from '../../functions/core/gates/guard-waits.ts';
import { type Wait, waitFacts, waitTitle } from '../../functions/core/gates/wait.ts';
import { judge } from '../../functions/core/judge/judge.ts';
import { withClockTimes } from '../../functions/core/text/durations.ts';
import { notAsked, seen } from '../../functions/core/text/observed.ts';
import type { HoldView, PoolView } from '../../functions/core/timeline/view.ts';
import { waitsOf } from '../../functions/core/timeline/waits-of.ts';
import { clusterStatus } from '../../functions/status/cluster-status.ts';
import { html, textOf } from '../../functions/status/html.ts';
import { guardsList } from '../../functions/status/page/guards.ts';
import { pauses } from '../../functions/status/page/pauses.ts';
import { whyText } from '../../local/cli/why/why-pool.ts';
import { anIncident, aPool, aPoolView, aRecord, aView } from '../fakes/builders.ts';
import { wordsOf } from './adapters/messengers/slack-words.ts';
import { everyClosedGate, now } from './core/gates/ways-to-close.ts';

const since = '2026-03-02T09:00:00.000Z';
const until = '2026-03-02T11:00:00.000Z';

function paused(change: Partial<PoolView>): PoolView {
  return aPoolView({ paused: true, pauseOf: 'ours', pausedBy: 'poolkeeper', pausedSince: since, ...change });
}

function heldBy(change: Partial<HoldView>): PoolView {
  const hold = { id: 'x', kind: 'sync', who: 'openshift-gitops/nodes', why: 'a push', phase: '', since, until };
  return paused({ holds: [{ ...hold, ...change }] });
}

const waiting: readonly (readonly [string, PoolView])[] = [
  ...everyClosedGate().map((gate) => [`gate ${gate.gate}: ${gate.why}`, paused({ closedGates: [gate] })] as const),
  ['an awaited sync', heldBy({ phase: 'expected' })],
  ['a running sync', heldBy({ phase: 'syncing', timeout: { at: until, action: 'alert' } })],
  ['a failed sync', heldBy({ phase: 'failed', timeout: { at: until, action: 'resume' } })],
  ['a hold by hand', heldBy({ kind: 'manual', who: 'ann' })],
  ['a freeze', heldBy({ kind: 'freeze', who: 'ann' })],
  ["somebody else's pause", paused({ pauseOf: 'foreign', pausedBy: 'kubectl-patch' })],
];

/** Every word that is told of a wait, instants in the reader's form. */
function wordsToTell(wait: Wait): readonly string[] {
  const facts = waitFacts(wait).flatMap(({ label, value }) => [label, value]);
  return [waitTitle(wait), wait.why, ...facts].map((text) => normal(withClockTimes(text, now)));
}

function normal(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

describe('[N-16] why a pool is paused is told in the same words', () => {
  test.each(waiting)('on the page, on the command line, in JSON and in Slack: %s', (_what, view) => {
    const [wait] = waitsOf(view, 'prod').now;
    if (wait === undefined) throw new Error('nothing is told');

    const status = clusterStatus('prod', { view: aView({ pools: [view] }), configured: true, now });
    const surfaces = {
      page: readable(pauses(status, now).map(textOf).join(' ')),
      cli: normal(
        whyText(
          [
            {
              cluster: 'prod',
              pool: 'worker',
              paused: true,
              pauseOf: '',
              state: '',
              why: waitsOf(view, 'prod'),
              guards: [],
            },
          ],
          now,
        ),
      ),
      slack: inSlack(view),
    };

    for (const [surface, text] of Object.entries(surfaces)) {
      for (const word of wordsToTell(wait)) expect(text, surface).toContain(word);
    }
    expect(status.pools[0]?.why?.now[0]).toEqual(wait);
  });
});

describe('[N-16] [N-6] why a sync waits behind its guard is told in the words of the gates', () => {
  const guard = { about: 'openshift-gitops/nodes', why: 'pool worker is not paused yet', pools: ['worker'] };
  const how = `oc -n openshift-gitops patch appprojects.argoproj.io default --type json -p '[${'x'.repeat(600)}]'`;

  test.each<[string, GuardView]>([
    ['its pools are not paused', { ...guard, since, how }],
    ['nobody knows since when, and its window does not stand', guard],
    ['its sequence cannot be read', { ...guard, why: 'cluster test does not answer', since, how, isTurnUnread: true }],
    ['its turn has not come', { ...guard, why: 'wave 5 is not healthy', since, how, isTurn: true }],
  ])('on the page, on the command line and in JSON: %s', (_what, view) => {
    const wait = waitOfGuard(view);
    if (wait === undefined) throw new Error('nothing is told');
    const pool = aPoolView();

    const status = clusterStatus('prod', { view: aView({ pools: [pool], guards: [view] }), configured: true, now });
    const guards = guardsOfPool([view], pool.name);
    const surfaces = {
      page: readable(textOf(guardsList(status, now) ?? html``)),
      cli: normal(
        whyText(
          [
            {
              cluster: 'prod',
              pool: 'worker',
              paused: false,
              pauseOf: '',
              state: '',
              why: waitsOf(pool, 'prod'),
              guards,
            },
          ],
          now,
        ),
      ),
    };

    for (const [surface, text] of Object.entries(surfaces)) {
      for (const word of wordsToTell(wait)) expect(text, surface).toContain(word);
    }
    expect(status.guards).toEqual([expect.objectContaining({ about: guard.about, pools: ['worker'], wait })]);
    expect(guardsOfPool([view], 'gpu')).toEqual([]);
  });
});

/** What a person reads: no tags, entities decoded. */
function readable(page: string): string {
  const text = page.replaceAll(/<[^>]+>/g, '');
  return normal(
    text
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&'),
  );
}

/** The message that is sent when this has lasted for too long. */
function inSlack(view: PoolView): string {
  const pool = aPool({
    paused: true,
    pausedBy: { manager: view.pausedBy, at: since },
    record: { kind: 'record', record: aRecord({ pause: 'ours', pausedSince: since }) },
  });
  const observed = { pool, nodes: notAsked, waits: { now: waitsOf(view, 'prod').now, isOverdue: true } };
  const { troubles } = judge({
    cluster: 'prod',
    now,
    policy: defaultPolicy,
    pools: seen([observed], now),
    everyNode: notAsked,
    firstSeen: {},
    rollouts: notAsked,
    known: notAsked,
    diagnoses: new Map(),
    applications: [],
    races: [],
    breakGlass: notAsked,
    misses: 0,
    lastGoodReadAt: undefined,
    unreadable: [],
    sweep: { since: undefined, triedUntil: undefined },
  });
  const trouble = troubles.find(({ key }) => key.kind === 'paused-too-long');
  const incident = anIncident({ trouble, key: { cluster: 'prod', pool: 'worker', kind: 'paused-too-long' } });
  const context = { now, occasion: 'opened', statusUrl: undefined, product: 'poolkeeper' } as const;
  return normal(wordsOf(slackMessage(incident, context)));
}
