import type { Incident } from '../../../../functions/core/alerts/incident.ts';
import type { Evidence, Finding, Trouble } from '../../../../functions/core/findings/trouble.ts';
import { anIncident } from '../../../fakes/index.ts';

/** The moment at which the sample is told. */
export const sampleNow = new Date('2026-03-02T14:02:30.000Z');

const readAt = '2026-03-02T14:02:11.000Z';

function evidence(kind: string, namespace: string, name: string, path: string, value: string): Evidence {
  return { ref: { kind, namespace, name }, path, value, readAt };
}

/** A drain that cannot end: the pod it waits for fits only on the node that is drained. Facts of the alert life, 2.5
 *  and 3.2. */
export const deadlock: Finding = {
  code: 'D1',
  subject: { kind: 'Node', namespace: '', name: 'worker-2' },
  sentence: 'worker-2: eviction of pod shop/web-a is refused.',
  confidence: 'certain',
  class: 'structural',
  evidence: [
    evidence(
      'Node',
      '',
      'worker-2',
      'status.conditions[Drained].message',
      'error when evicting pods/"web-a" -n "shop": global timeout reached: 1m30s',
    ),
  ],
  because: [
    {
      code: 'P3',
      subject: { kind: 'PodDisruptionBudget', namespace: 'shop', name: 'web' },
      sentence: 'PDB shop/web needs 2 healthy pods and has 1.',
      confidence: 'certain',
      class: 'structural',
      evidence: [
        evidence('PodDisruptionBudget', 'shop', 'web', 'status.desiredHealthy', '2'),
        evidence('PodDisruptionBudget', 'shop', 'web', 'status.currentHealthy', '1'),
      ],
      because: [
        {
          code: 'U4',
          subject: { kind: 'Pod', namespace: 'shop', name: 'web-b' },
          sentence: 'web-b is Pending: 1 node is cordoned, 3 nodes have another label.',
          confidence: 'certain',
          class: 'structural',
          evidence: [
            evidence(
              'Pod',
              'shop',
              'web-b',
              'status.conditions[PodScheduled].message',
              "0/4 nodes are available: 1 node(s) were unschedulable, 3 node(s) didn't match node selector",
            ),
          ],
          because: [
            {
              code: 'self-deadlock',
              subject: { kind: 'Pod', namespace: 'shop', name: 'web-b' },
              sentence:
                'web-b may only run on nodes labelled disk=ssd; the only one is worker-2, which is being drained for this very update, so neither can proceed.',
              confidence: 'strong',
              class: 'structural',
              evidence: [evidence('Pod', 'shop', 'web-b', 'spec.nodeSelector', 'disk=ssd')],
              because: [],
              remedies: [
                {
                  title: 'Label a second node',
                  command: 'oc label node worker-6 disk=ssd',
                  risk: 'none',
                  undo: 'oc label node worker-6 disk-',
                  who: 'platform',
                },
              ],
            },
          ],
          remedies: [],
        },
      ],
      remedies: [
        {
          title:
            'Let the budget allow one disruption for this window; in Git: apps/web/pdb.yaml, Argo CD reverts live edits',
          command: `oc patch pdb web -n shop --type merge -p '{"spec":{"minAvailable":1}}'`,
          risk: 'outage',
          undo: `oc patch pdb web -n shop --type merge -p '{"spec":{"minAvailable":2}}'`,
          who: 'application owner',
        },
        {
          title: 'Delete pod web-a and accept that shop/web is down until it is back',
          command: 'oc delete pod web-a -n shop',
          risk: 'outage',
          undo: undefined,
          who: 'application owner',
        },
      ],
    },
  ],
  remedies: [],
};

export const drainBlocked: Trouble = {
  key: { cluster: 'prod-eu-1', pool: 'worker-gpu', kind: 'drain-blocked' },
  severity: 'high',
  class: 'structural',
  headline: 'drain of worker-2 blocked by PDB shop/web',
  since: '2026-03-02T13:50:00.000Z',
  findings: [deadlock],
  facts: [
    { label: 'Node', value: 'worker-2 (1 of 8, 3 done)' },
    { label: 'Old config still serving', value: 'yes, on 5 nodes' },
    { label: 'To', value: 'rendered-worker-gpu-5f3c9a1' },
    { label: 'Trigger', value: 'platform-mc @ a1b2c3' },
  ],
  digest: 'worker-2|self-deadlock|shop/web|high',
};

/** Opened ten minutes after the drain began, told now. */
export const firing: Incident = anIncident({
  key: drainBlocked.key,
  number: 1423,
  version: 3,
  since: drainBlocked.since,
  openedAt: '2026-03-02T14:01:40.000Z',
  trouble: drainBlocked,
  seq: 1,
  notes: [{ seq: 1, at: '2026-03-02T14:01:40.000Z', kind: 'opened', text: drainBlocked.headline }],
});

export const resolved: Incident = {
  ...firing,
  state: 'ok',
  resolvedAt: '2026-03-02T14:48:40.000Z',
  outcome: 'fixed',
  endedBy: 'web-b became Ready on worker-6 at 14:41, the budget allowed one disruption, and worker-2 was drained.',
  seq: 4,
  nextReminderAt: undefined,
  notes: [
    ...firing.notes,
    {
      seq: 3,
      at: '2026-03-02T14:31:40.000Z',
      kind: 'changed',
      text: 'Now: drain of worker-2 blocked by PDB shop/web. worker-6 was labelled.',
    },
    {
      seq: 4,
      at: '2026-03-02T14:48:40.000Z',
      kind: 'resolved',
      text: 'Resolved after 58 min. web-b became Ready on worker-6 at 14:41, the budget allowed one disruption, and worker-2 was drained.',
    },
  ],
};
