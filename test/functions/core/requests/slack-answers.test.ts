import { expect, test } from 'vitest';
import { slackSections } from '../../../../functions/core/alerts/slack-text.ts';
import {
  approvalAnswer,
  type Known,
  statusAnswer,
  whyAnswer,
} from '../../../../functions/core/requests/slack-answers.ts';
import { aGateView, aPoolView, aView } from '../../../fakes/builders.ts';
import { anIncident, aTrouble } from '../../../fakes/index.ts';

const readAt = '2026-03-02T14:02:00.000Z';
const hold = { id: 'sync/hub/a', kind: 'sync', why: '', phase: 'syncing', since: readAt, until: readAt };

function known(pools: Known['views'][number]['pools']): Known {
  return {
    clusters: ['prod', 'test'],
    views: [aView({ cluster: 'prod', readAt, pools }), aView({ cluster: 'test', readAt })],
    incidents: [],
    unheard: { clusters: 0, pools: 0, incidents: 0 },
    statusUrl: undefined,
    now: new Date(readAt),
  };
}

test('[N-34] [N-21] [N-29] why a pool is paused counts its freeze again once its emergency lane is over', () => {
  const lane = { who: 'eve', why: 'CVE', since: readAt, until: readAt };
  const frozen = { ...hold, id: 'freeze/pool/ann', kind: 'freeze', who: 'ann', phase: '', passed: true as const };
  const pool = aPoolView({ paused: true, pauseOf: 'ours', holds: [frozen], emergency: lane });

  const said = whyAnswer({ cluster: 'prod', pool: 'worker' }, known([pool]));

  expect(said).toContain('ann');
  expect(said).toContain('poolkeeper emergency --cluster prod --pool worker');
});

test('[N-34] [N-17] [N-29] whoever asks what waits for approval reads what opens it: it may be more people than are left', () => {
  const opens = 'more people in approve.by: 0 are left and 1 are needed';
  const gate = aGateView({ gate: 'approval', approves: 'rendered-worker-bbb', opens });
  const pool = aPoolView({ paused: true, pauseOf: 'ours', closedGates: [gate] });

  expect(approvalAnswer({ cluster: 'prod', pool: 'worker' }, known([pool]))).toContain(`Opens: ${opens}`);
});

test.each([
  ['rolls out (2 of 3)', { updated: 2 }, {}],
  ['rolls out (3 of 3)', {}, { pending: true }],
  ['has nodes cordoned or not ready', {}, {}],
])('[N-34] [N-29] of a pool that the MCO calls updating it is said that it %s', (words, counts, change) => {
  const pool = aPoolView({ updated: false, updating: true, ...change });

  const said = statusAnswer('', known([{ ...pool, counts: { ...pool.counts, ready: 2, unavailable: 1, ...counts } }]));

  expect(said).toContain(`\`worker\` ${words}`);
});

test('[N-34] [N-30] a cluster is not left out of the status for the long names of the Applications that hold its pools', () => {
  const pools = Array.from({ length: 18 }, (_, index) =>
    aPoolView({
      name: `worker-gpu-a100-rack-${index}`,
      paused: true,
      pauseOf: 'ours',
      holds: [{ ...hold, who: `team-a/${'a&'.repeat(120)}` }],
    }),
  );

  const shown = slackSections(statusAnswer('', known(pools))).map(({ text }) => text?.text ?? '');

  expect(shown[0]).toMatch(/^🟠 `prod`: `worker-gpu-a100-rack-0` paused: .*; and \d+ more pools$/m);
  expect(shown.join('\n')).toContain('🟢 The other cluster: read lately');
});

test('[N-34] [N-30] the incidents of one kind on every pool hide none of another kind', () => {
  const stuck = Array.from({ length: 50 }, (_, at) =>
    anIncident({ key: { cluster: 'prod', pool: `p${at}`, kind: 'sync-stuck' }, number: 1 + at }),
  );
  const key = { cluster: 'prod', pool: 'infra', kind: 'drain-blocked' } as const;
  const drain = anIncident({ key, number: 99, trouble: aTrouble({ key, headline: 'drain of infra-1 blocked' }) });

  const answer = statusAnswer('', { ...known([]), incidents: [...stuck, drain] });

  expect(answer.split('\n')[1]).toContain('drain of infra-1 blocked');
});

test('[N-34] [N-30] any number of holds leaves room for the gates of a pool, what comes afterwards and the way past it', () => {
  const freeze = { ...hold, id: 'freeze/anna', kind: 'freeze', who: 'anna', why: 'fair', phase: 'held' };
  const own = Array.from({ length: 40 }, (_, at) => ({
    ...hold,
    id: `sync/hub/evil/x${at}`,
    who: `evil/x${at}`,
    why: 'w'.repeat(300),
  }));
  const gate = { why: 'closed', since: readAt, value: 'now', threshold: 'later', opens: 'by itself', who: 'time' };
  const pool = aPoolView({
    name: 'worker',
    paused: true,
    pauseOf: 'ours',
    holds: [freeze, ...own],
    closedGates: [{ ...gate, gate: 'window' }],
    gatesAhead: [{ ...gate, gate: 'approval' }],
  });

  const shown = slackSections(whyAnswer({ cluster: 'prod', pool: 'worker' }, known([pool])))
    .map(({ text }) => text?.text ?? '')
    .join('\n');

  expect(shown).toContain('*Hold of anna*');
  expect(shown).toMatch(/^_\d+ more entries: see the status page\._$/m);
  expect(shown).toContain('*Gate window*');
  expect(shown).toContain('*Gate approval*');
  expect(shown).toContain('Past all of this: `poolkeeper emergency');
});

test.each([
  ['longer than there is room for', 'x'.repeat(500)],
  ['with a name that would be changed', "'x`;reboot;#'"],
])('[N-34] [N-29] a command %s is not in an answer', (_, words) => {
  const gate = aGateView({ gate: 'window', how: `oc get ${words}` });
  const pool = aPoolView({ paused: true, pauseOf: 'ours', closedGates: [gate] });

  expect(whyAnswer({ cluster: 'prod', pool: 'worker' }, known([pool]))).not.toContain('Command:');
});

test('[N-34] [N-29] pools that cannot be parsed and views without room, of any number of clusters, leave room for clusters that are not read', () => {
  const unreadablePools = ['infra', 'master', 'worker'].map((name) => ({ name: name.padEnd(200, 'x'), since: readAt }));
  const poolsLeftOut = { all: 30, paused: 0, degraded: 0 };
  const left = Array.from({ length: 100 }, (_, nth) =>
    aView({ cluster: `prod-eu-${nth}`, readAt, pools: [], unreadablePools, poolsLeftOut }),
  );
  const unread = Array.from({ length: 7 }, (_, nth) =>
    aView({ cluster: `blind-${nth}`, readAt, pools: [], blind: { why: 'no route', since: readAt, misses: 9 } }),
  );
  const views = [...left, ...unread];
  const all = { ...known([]), clusters: views.map(({ cluster }) => cluster), views };

  const said = JSON.stringify(slackSections(whyAnswer({ cluster: '', pool: '' }, all)));

  expect(said).toMatch(/prod-eu-4`: `infrax/);
  expect(said).toContain('`blind-4`: not read');
  expect(said.match(/_95 more: see the status page/g)).toHaveLength(2);
  expect(said).toContain('_2 more: see the status page');
});

test('[N-34] a line that has no room in an answer is said to be there', () => {
  const [section] = slackSections(`*one*\n${'x'.repeat(3_000)}\n*three*`);

  expect(section?.text?.text).toBe('*one*\n_A line that is too long for Slack: see the status page._\n*three*');
});

test('[N-34] [N-29] no cluster is called well whose Machine Config Operator is down, whose pool was resumed past a hold, or where a guard stays closed', () => {
  const operatorParts = {
    readAt,
    parts: [{ name: 'machine-config-controller', state: 'down', says: '0 of 1 ready' } as const],
  };
  const overruled = { at: readAt, by: 'anna' };
  const pools = [aPoolView({ holds: [{ ...hold, who: 'argocd/mc', overruled }] })];
  const guards = [{ about: 'Application argocd/mc', why: 'its pools are not paused' }];
  const views = [
    aView({ cluster: 'prod', readAt, operatorParts }),
    aView({ cluster: 'test', readAt, pools }),
    aView({ cluster: 'dev', readAt, guards }),
  ];

  const answer = statusAnswer('', { ...known([]), clusters: ['prod', 'test', 'dev'], views });

  expect(answer.split('\n')).toEqual([
    '🟠 `prod`: `machine-config-controller` is down (0 of 1 ready)',
    '🟠 `test`: `worker` resumed past a hold',
    '🟠 `dev`: 1 guard stays closed',
  ]);
});

test('[N-34] [N-29] a pool is said to be paused by what keeps it paused, not by a hold that a person has overruled, nor by a freeze past which an emergency goes', () => {
  const overruled = { at: readAt, by: 'anna' };
  const holds = [
    { ...hold, who: 'argocd/overruled', overruled },
    { ...hold, kind: 'freeze', who: 'bob', passed: true as const },
    { ...hold, who: 'argocd/mc' },
  ];

  const answer = statusAnswer('prod', known([aPoolView({ paused: true, pauseOf: 'ours', holds })]));

  expect(answer).toContain('`worker` paused: argocd/mc');
});
