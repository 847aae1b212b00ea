import { expect, test } from 'vitest';
import { finding, ref } from '../../../../functions/core/findings/make-finding.ts';
import type { Finding } from '../../../../functions/core/findings/trouble.ts';
import { lossOf, lossWords, withLoss } from '../../../../functions/core/judge/lost-controller.ts';
import { anApplication, anOperation } from '../../../fakes/index.ts';
import { aJudgeInput } from './a-judge-input.ts';

const at = (time: string) => `2026-03-02T${time}Z`;

const pod = { name: 'controller-0', namespace: 'argocd', node: 'worker-3', runningSince: at('10:06:00') };
const away = { to: 'rendered-worker-bbb', from: at('10:01:00'), until: at('10:05:00'), isObserved: true };
const controllers = [
  {
    argocd: 'hub',
    pods: [pod],
    reboots: [
      { ...away, node: 'worker-1' },
      { ...away, node: 'worker-2', isObserved: false },
    ],
    readAt: at('10:20:00'),
  },
];
const input = aJudgeInput({ now: new Date(at('10:20:00')), controllers });
const operation = anOperation({ phase: 'Running', startedAt: at('10:00:00'), finishedAt: undefined });
const stuck: Finding = finding({
  code: 'A2',
  subject: ref('Application', 'nodes', 'openshift-gitops'),
  sentence: 'It runs.',
  confidence: 'certain',
  class: 'external',
});

test('[S0-26] of several nodes that were away the controller may have been on any', () => {
  const lost = lossOf(anApplication({ operation }), input);

  expect(withLoss(stuck, lost).because).toMatchObject([{ code: 'A9', confidence: 'possible' }]);
  expect(lossWords([lost])).toBe('one of worker-1 and worker-2 was updated under its controller');
});

test('[S0-26] [N-30] image mode: a controller is lost with a node that reboots for another image alone', () => {
  const to = `rendered-worker-aaa@sha256:${'2'.repeat(64)}`;
  const [first] = controllers;
  const forImage = { ...input, controllers: first && [{ ...first, reboots: [{ ...away, node: 'worker-3', to }] }] };

  const [because] = withLoss(stuck, lossOf(anApplication({ operation }), forImage)).because;

  expect(because?.sentence).toContain(
    'node worker-3 rebooted for rendered-worker-aaa with image sha256:222222222222 (',
  );
});

test('[N-29] [S0-26] at level guard no command is advised that the API of Argo CD refuses', () => {
  const commandsOf = (more: object) =>
    lossOf(anApplication({ operation }), { ...input, ...more })?.finding.remedies.map((each) => each.command);

  expect(commandsOf({})).toContain('argocd app sync openshift-gitops/nodes');
  expect(commandsOf({ guardedPools: ['worker'] })).toEqual([
    expect.stringMatching(/^oc -n openshift-gitops patch .* nodes --type json /),
    undefined,
  ]);
});

test('[S0-26] the Application of another Argo CD, or without an operation, lost nothing', () => {
  const others = [anApplication({ argocd: 'other', operation }), anApplication({ operation: undefined }), undefined];

  const losses = others.map((application) => lossOf(application, input));

  expect(losses).toEqual([undefined, undefined, undefined]);
  expect(withLoss(stuck, losses[0])).toBe(stuck);
  expect(lossWords([lossOf(anApplication({ operation }), input), undefined])).toBeUndefined();
});

test('[S0-26] [S1-13] of several controllers no headline says that the sync lost its own', () => {
  const shards = [pod, { ...pod, name: 'controller-1', node: 'infra-1', runningSince: at('08:00:00') }];
  const sharded = { ...input, controllers: controllers.map((each) => ({ ...each, pods: shards })) };

  const lost = lossOf(anApplication({ operation }), sharded);

  expect(withLoss(stuck, lost).because).toMatchObject([{ code: 'A9', confidence: 'possible' }]);
  expect(lossWords([lost])).toBeUndefined();
});

test('[S0-26] [S1-13] a sync that ended with what could not be applied did not end by the loss of its controller', () => {
  const refused = { name: '99-worker-ssh', status: 'SyncFailed', message: 'is invalid: spec.kernelType' };
  const [result] = anOperation().results;
  if (result === undefined) throw new Error('the operation has no result');
  const failed = {
    ...operation,
    phase: 'Failed',
    finishedAt: at('10:07:00'),
    results: [{ ...result, ...refused }],
  } as const;

  const losses = [failed, { ...failed, results: [] }, { ...failed, phase: 'Running' } as const].map((each) =>
    lossOf(anApplication({ operation: each }), input),
  );

  expect(losses.map((each) => each?.finding.code)).toEqual([undefined, 'A9', 'A9']);
});
