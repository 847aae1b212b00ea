import { expect, test } from 'vitest';
import { Approve } from '../../../../functions/core/configuration/approve.ts';
import type { Approval } from '../../../../functions/core/gates/approvals.ts';
import type { GateView } from '../../../../functions/core/gates/gate-view.ts';
import type { AwaitedApproval } from '../../../../functions/core/judge/input.ts';
import { aGateView, aPool, aRecord } from '../../../fakes/builders.ts';
import { minutesAgo } from '../diagnose/world.ts';
import { fact, kinds, passOver, the } from './pass-over.ts';

const config = 'rendered-worker-bbb';
const [alice, bob] = ['slack:U0000ALICE', 'slack:U00000BOB'] as const;
const pool = aPool({
  paused: true,
  target: { name: config, sources: ['00-worker', '99-worker-ssh'] },
  record: {
    kind: 'record',
    record: aRecord({
      pause: 'ours',
      holds: [],
      release: {
        since: minutesAgo(30),
        finishedAt: minutesAgo(30),
        machineConfigs: [],
        why: 'Argo CD synced openshift-gitops/nodes',
        pushers: ['dev', ''],
      },
    }),
  },
});
const asked: Extract<AwaitedApproval, { kind: 'asked' }> = {
  kind: 'asked',
  approve: Approve.parse({ by: [alice, bob], needed: 2 }),
  approvals: [],
  change: config,
  minutesPerNode: 7,
  gate: gateFor(config),
};

function gateFor(approves: string | undefined, change: Partial<GateView> = {}): GateView {
  const timeout = { at: '2026-03-02T14:00:00.000Z', action: 'alert' } as const;
  return aGateView({ gate: 'approval', timeout, approves, ...change });
}

function said(who: string): Approval {
  const given = { name: 'alice', verb: 'approve', at: minutesAgo(5), reason: '' } as const;
  return { cluster: 'prod', pool: 'worker', config, who, ...given };
}

function scene(approval: AwaitedApproval, change: object = {}) {
  return { pools: [pool], approval: { worker: approval }, ...change };
}

test('[N-17] a change that waits for people says what it is, what it takes, who asked, who may, and what comes of silence', async () => {
  const trouble = the('approval-needed', await passOver(scene(asked)));

  expect(trouble).toMatchObject({
    severity: 'info',
    class: 'structural',
    asksApproval: config,
    since: minutesAgo(30),
    headline: `needs 2 approvals to roll out ${config}`,
    findings: [{ code: 'A10', confidence: 'certain' }],
  });
  expect(trouble.findings[0]?.sentence).toContain(
    'If nobody answers, it stays paused, and an alert is sent at 2026-03-02T14:00:00.000Z.',
  );
  expect(trouble.findings[0]?.remedies[0]?.command).toBe(
    `poolkeeper approve --cluster prod --pool worker --config ${config} --reason ...`,
  );
  expect(fact(trouble, 'Nodes')).toBe('3 of 3, about 21 min at its own pace');
  expect(fact(trouble, 'Asked by')).toBe('Argo CD synced openshift-gitops/nodes; pushed by dev');
  expect(fact(trouble, 'Approvals')).toBe(`0 of 2; ${alice} and ${bob} may`);
});

test('[N-17] each approval and each config is news, and the last approval is the end', async () => {
  const none = the('approval-needed', await passOver(scene(asked)));
  const one = the('approval-needed', await passOver(scene({ ...asked, approvals: [said(alice)] })));
  const next = aPool({ ...pool, target: { name: 'rendered-worker-ccc', sources: [] } });
  const other = the(
    'approval-needed',
    await passOver({ ...scene({ ...asked, gate: gateFor(next.target.name) }), pools: [next] }),
  );
  const enough = await passOver(scene({ ...asked, approvals: [said(alice), said(bob)] }));

  expect(one.headline).toBe(`needs 1 more approval to roll out ${config}`);
  expect(fact(one, 'Approvals')).toBe(`1 of 2; ${alice} (alice) approved; ${bob} may`);
  expect(new Set([none.digest, one.digest, other.digest]).size).toBe(3);
  expect(kinds(enough)).toEqual([]);
});

test('[S3-14] [N-17] an approval that was given before another change was let go is asked for again, and the question says so', async () => {
  const approvals = [said(alice), said(bob)];
  const rolledOut = { change: 'rendered-worker-ccc', at: minutesAgo(3) };
  const spent = await passOver(scene({ ...asked, approvals, rolledOut }));
  const counts = await passOver(scene({ ...asked, approvals, rolledOut: { ...rolledOut, at: minutesAgo(6) } }));

  expect(fact(the('approval-needed', spent), 'Approvals')).toBe(`0 of 2; ${alice} and ${bob} may`);
  expect(the('approval-needed', spent).findings[0]?.sentence).toContain(
    `nobody has approved; ${bob} (alice) approved it at ${minutesAgo(5)} and ${alice} (alice) approved it at ${minutesAgo(5)}, before rendered-worker-ccc was rolled out: that does not count again. `,
  );
  expect(kinds(counts)).toEqual([]);
});

const digest = `sha256:${'0b1c2d3e'.repeat(8)}`;

test('[N-17] [N-30] in image mode the image is part of the question, and another one is news', async () => {
  const named = `${config}@${digest}`;
  const trouble = the('approval-needed', await passOver(scene({ ...asked, change: named, gate: gateFor(named) })));
  const before = the('approval-needed', await passOver(scene(asked)));

  expect(trouble).toMatchObject({
    asksApproval: named,
    headline: `needs 2 approvals to roll out ${config} with image sha256:0b1c2d3e0b1c`,
  });
  expect(fact(trouble, 'Image')).toBe(digest);
  expect(trouble.findings[0]?.sentence).toContain('only for this config with this image.');
  expect(trouble.findings[0]?.remedies[0]?.command).toContain(`--config ${named} `);
  expect(trouble.digest).not.toBe(before.digest);
});

test('[N-17] [N-30] an approval of another image, or of the config alone, is none, and nobody is asked while there is none to name', async () => {
  const named = `${config}@${digest}`;
  const approvals = [
    { ...said(alice), config: `${config}@${digest.replaceAll('0', 'f')}` },
    { ...said(bob), config },
  ];
  const other = await passOver(scene({ ...asked, approvals, change: named, gate: gateFor(named) }));
  const unbuilt = await passOver(scene({ ...asked, approvals, change: undefined, gate: gateFor(undefined) }));

  expect(fact(the('approval-needed', other), 'Approvals')).toBe(`0 of 2; ${alice} and ${bob} may`);
  expect(kinds(unbuilt)).toEqual([]);
});

test.each([
  ['wait', 'If nobody answers, it stays paused.'],
  ['drop', 'If nobody answers, it stays paused, and Poolkeeper gives it up at 2026-03-03T10:00:00.000Z'],
  ['resume', 'If nobody answers, it rolls out without approval at 2026-03-03T10:00:00.000Z.'],
] as const)('[N-16] what comes of silence is what the policy says: %s', async (action, words) => {
  const passed = await passOver(
    scene({ ...asked, gate: gateFor(config, { timeout: { at: '2026-03-03T10:00:00.000Z', action } }) }),
  );

  expect(the('approval-needed', passed).findings[0]?.sentence).toContain(words);
});

test('[decoy] nobody is asked before the change is rendered, or where the approvals could not be read', async () => {
  const unread = await passOver(scene({ kind: 'unreadable', why: 'the table is down' }));

  expect(kinds(await passOver(scene(asked, { waitsForRender: ['worker'] })))).toEqual([]);
  expect(kinds(await passOver(scene({ ...asked, gate: undefined })))).toEqual([]);
  expect(kinds(unread)).toEqual([]);
  expect(unread.unseen).toContainEqual({
    cluster: 'prod',
    pool: 'worker',
    kinds: ['approval-needed'],
    why: 'the table is down',
  });
});

test('[N-17] [N-29] where too few people are left, nobody is told to approve', async () => {
  const approve = Approve.parse({ by: [`${alice} github:dev`, `${bob} github:bob`], needed: 1, excludePusher: true });

  const trouble = the('approval-needed', await passOver(scene({ ...asked, approve })));

  expect(trouble.findings[0]?.remedies.map(({ title, command }) => [title, command])).toEqual([
    [
      'Name more people under approve of pool worker in poolkeeper.yaml: 1 may still approve, and 2 are needed',
      undefined,
    ],
    ['Or revert the change in Git: then nothing is left to approve', undefined],
  ]);
});
