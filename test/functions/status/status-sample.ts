import { writeFile } from 'node:fs/promises';
import type { Incident } from '../../../functions/core/alerts/incident.ts';
import type { Configuration } from '../../../functions/core/configuration/configuration.ts';
import { defaultPolicy } from '../../../functions/core/configuration/policy.ts';
import { Sequence } from '../../../functions/core/configuration/sequence.ts';
import type { Finding } from '../../../functions/core/findings/trouble.ts';
import type { ClusterView, TimelineEntry } from '../../../functions/core/timeline/view.ts';
import { statusOf } from '../../../functions/status/status-of.ts';
import {
  aDelivery,
  aNodeRollout,
  anIncident,
  aPoolView,
  aRace,
  aTimelineEntry,
  aTrouble,
  aView,
} from '../../fakes/builders.ts';
import { fakeIds } from '../../fakes/index.ts';
import { allDone, classIsGone, virtualization, waitingForClass } from './sequence-sample.ts';

/** A status page with something of everything on it, for the pictures in docs/pictures and for whoever changes the
 *  look: `node test/functions/status/status-sample.ts page.html`. */

const now = new Date('2026-03-02T10:24:31.000Z');

function ago(seconds: number): string {
  return new Date(now.getTime() - seconds * 1000).toISOString();
}

const day = 86_400;
const before = 'rendered-worker-5b3f0a9ce1d24786a0b1c2d3e4f50617';
const after = 'rendered-worker-c81d4e2f7a6905b3d8e1f2a3b4c5d6e7';

const configuration: Pick<Configuration, 'clusters' | 'sequences'> = {
  // Only their names count here.
  sequences: Object.fromEntries(
    ['virtualization', 'databases', 'monitoring'].map((name) => [name, Sequence.parse(virtualization)]),
  ),
  clusters: ['prod-eu-1', 'prod-us-1', 'test'].map((name) => ({
    name,
    api: {
      server: `https://api.${name}.example.com:6443`,
      ca: undefined,
      tokenSecret: 'token',
      skipTLSVerify: false,
    },
    policy:
      name === 'test' ? { ...defaultPolicy, pausedAtMostSeconds: 12 * 3600, onSyncFailure: 'resume' } : defaultPolicy,
    pools: {},
  })),
};

const prodEu: ClusterView = aView({
  cluster: 'prod-eu-1',
  readAt: ago(11),
  pools: [
    aPoolView({
      name: 'master',
      createdAt: ago(412 * day),
      managed: false,
      protection: 'observe',
      currentConfig: 'rendered-master-90ab12cd34ef56ab78cd90ef12ab34cd',
      targetConfig: 'rendered-master-90ab12cd34ef56ab78cd90ef12ab34cd',
    }),
    aPoolView({
      name: 'worker',
      createdAt: ago(412 * day),
      protection: 'handshake',
      paused: true,
      pauseOf: 'ours',
      pausedSince: ago(743),
      pausedBy: 'poolkeeper',
      currentConfig: before,
      targetConfig: after,
      pending: true,
      pendingSources: { added: ['99-worker-chrony', '99-worker-kdump'], removed: [] },
      pendingSince: ago(521),
      certificatesExpire: ago(-19 * day),
      change: {
        from: before,
        to: after,
        renderedAt: ago(521),
        class: 'reboot',
        isByDefault: false,
        parts: ['file /etc/ssh/sshd_config.d/10-hardening.conf', 'kernel arguments', 'file /etc/chrony.conf'],
        partsInAll: 5,
        security: ['sshd', 'CPU mitigations'],
        causes: [
          {
            kind: 'git',
            sources: ['99-worker-chrony', '99-worker-kdump'],
            why: 'MachineConfig 99-worker-chrony of Application openshift-gitops/node-config, synced to a1b2c3d4',
            by: {
              application: 'openshift-gitops/node-config',
              revision: 'a1b2c3d4e5f60718293a4b5c6d7e8f9001122334',
            },
          },
          { kind: 'certificates', sources: ['00-worker'], why: 'CA certificates of the cluster' },
        ],
      },
      updated: false,
      counts: { machines: 12, ready: 12, updated: 0, unavailable: 0, degraded: 0 },
      holds: [
        {
          id: 'sync/hub/openshift-gitops/node-config',
          kind: 'sync',
          who: 'openshift-gitops/node-config',
          why: 'operation of a1b2c3d runs, resource 14 of 22',
          phase: 'syncing',
          since: ago(743),
          until: ago(-2857),
        },
        {
          id: 'manual/anna',
          kind: 'manual',
          who: 'anna',
          why: 'storage migration on rack 4',
          phase: '',
          since: ago(410),
          until: ago(-6790),
        },
      ],
      races: [
        aRace({
          hold: 'sync/hub/openshift-gitops/node-config',
          since: ago(743),
          pushedAt: ago(743),
          pausedAt: ago(742.6),
          confirmedAt: ago(740.9),
          appliedAt: ago(738),
          verdict: undefined,
        }),
        aRace({
          hold: 'sync/hub/openshift-gitops/node-config',
          since: ago(94_300),
          pushedAt: ago(94_300),
          pausedAt: ago(94_299.6),
          confirmedAt: ago(94_296.1),
          appliedAt: ago(94_297),
          verdict: 'in time',
        }),
      ],
    }),
    aPoolView({
      name: 'worker-gpu',
      createdAt: ago(96 * day),
      currentConfig: before.replace('worker', 'worker-gpu'),
      targetConfig: after.replace('worker', 'worker-gpu'),
      pending: true,
      pendingSince: ago(7260),
      change: {
        from: before.replace('worker', 'worker-gpu'),
        to: after.replace('worker', 'worker-gpu'),
        class: 'reboot',
        isByDefault: false,
        parts: ['OS image', 'file /etc/kubernetes/kubelet.conf'],
        partsInAll: 2,
        security: ['kubelet'],
        causes: [
          {
            kind: 'release-image',
            sources: ['00-worker', '01-worker-kubelet'],
            why: 'the cluster runs another release of the Machine Config Operator',
          },
        ],
      },
      updated: false,
      updating: true,
      degraded: true,
      counts: { machines: 8, ready: 3, updated: 3, unavailable: 1, degraded: 1 },
      message:
        'Node gpu-2 is reporting: "failed to drain node: gpu-2 after 1 hour. Please see machine-config-controller logs for more information"',
      races: [
        aRace({
          hold: 'sync/hub/team-a/gpu-tuning',
          since: ago(6100),
          pushedAt: undefined,
          pausedAt: ago(6099.2),
          confirmedAt: ago(6096.4),
          appliedAt: ago(6101),
          firstTargetedAt: ago(6098),
          missedNodes: ['gpu-2'],
          verdict: 'late',
        }),
      ],
      nodes: [
        {
          name: 'gpu-2',
          from: before.replace('worker', 'worker-gpu'),
          to: after.replace('worker', 'worker-gpu'),
          begunAt: ago(6098),
          step: 'drain',
          stepSince: ago(6090),
          failing: true,
          waitsFor:
            'the config daemon must succeed; it says: failed to drain node: gpu-2 after 1 hour. Please see machine-config-controller logs for more information',
          steps: [
            { name: 'pickup', begunAt: ago(6098), endedAt: ago(6095) },
            { name: 'cordon', begunAt: undefined, endedAt: ago(6090) },
            { name: 'drain', begunAt: ago(6090), endedAt: undefined },
          ],
        },
      ],
    }),
    aPoolView({
      name: 'infra',
      createdAt: ago(230 * day),
      protection: 'react',
      paused: true,
      pauseOf: 'ours',
      pausedSince: ago(5230),
      pausedBy: 'poolkeeper',
      currentConfig: before.replace('worker', 'infra'),
      targetConfig: after.replace('worker', 'infra'),
      pending: true,
      pendingSources: { added: [], removed: [] },
      updated: false,
      counts: { machines: 3, ready: 3, updated: 0, unavailable: 0, degraded: 0 },
      closedGates: [
        {
          gate: 'health',
          value: 'pool worker-gpu is degraded',
          threshold: 'no pool degraded by a rollout that Poolkeeper started',
          who: 'whoever can mend pool worker-gpu',
          how: 'poolkeeper explain --pool worker-gpu',
          timeout: { at: ago(3600 - 4 * 3600), action: 'alert' },
          why: 'pool worker-gpu is degraded since Poolkeeper resumed it',
          since: ago(3600),
          opens: 'pool worker-gpu is no longer degraded',
        },
        {
          gate: 'wave',
          why: 'pool worker of wave 0 is still paused with a change waiting',
          value: 'pool worker is still paused with a change waiting',
          threshold: 'every pool below wave 1 updated and healthy',
          since: ago(5230),
          opens: 'pool worker is updated and healthy',
          who: 'the rollout of pool worker',
          how: 'poolkeeper why worker',
          timeout: { at: ago(5230 - 4 * 3600), action: 'alert' },
        },
      ],
    }),
  ],
});

const prodUs: ClusterView = aView({
  cluster: 'prod-us-1',
  readAt: ago(412),
  blind: { why: 'connect ETIMEDOUT to the API server', since: ago(352), misses: 6 },
  pools: [
    aPoolView({ name: 'worker', createdAt: ago(301 * day), currentConfig: before, targetConfig: before }),
    aPoolView({
      name: 'worker-sriov',
      createdAt: ago(200 * day),
      paused: true,
      pauseOf: 'foreign',
      pausedSince: ago(2 * day),
      pausedBy: 'sriov-network-config-daemon',
      currentConfig: before.replace('worker', 'worker-sriov'),
      targetConfig: before.replace('worker', 'worker-sriov'),
    }),
  ],
});

const test: ClusterView = aView({
  cluster: 'test',
  readAt: ago(24),
  pools: [
    aPoolView({
      name: 'master',
      createdAt: ago(40 * day),
      managed: false,
      protection: 'observe',
      currentConfig: before.replace('worker', 'master'),
      targetConfig: before.replace('worker', 'master'),
    }),
    aPoolView({
      name: 'worker',
      createdAt: ago(40 * day),
      currentConfig: before,
      targetConfig: before,
      spared: [
        {
          hold: 'sync/hub/openshift-gitops/ssh-keys',
          revision: 'f00dfeed00112233445566778899aabbccddeeff',
          why: 'user core: the policy requires no action',
          at: ago(38),
        },
      ],
    }),
  ],
});

function finding(change: Partial<Finding>): Finding {
  return {
    code: 'P1',
    subject: { kind: 'PodDisruptionBudget', namespace: 'shop', name: 'web' },
    sentence: '',
    confidence: 'strong',
    class: 'structural',
    evidence: [],
    because: [],
    remedies: [],
    ...change,
  };
}

const noHome = finding({
  code: 'self-deadlock',
  sentence: 'web-b can only run on nodes labelled disk=ssd, and the only one is gpu-2, which is being drained.',
  remedies: [
    {
      title: 'Label a second node, so that web-b has a home.',
      command: 'oc label node gpu-6 disk=ssd',
      risk: 'none',
      undo: 'oc label node gpu-6 disk-',
      who: 'platform',
    },
    {
      title: 'Relax the budget for this rollout in apps/web/pdb.yaml; Argo CD reverts a live edit.',
      command: undefined,
      risk: 'outage',
      undo: undefined,
      who: 'application owner',
    },
  ],
});

const incidents: readonly Incident[] = [
  anIncident({
    key: { cluster: 'prod-eu-1', pool: 'worker-gpu', kind: 'drain-blocked' },
    number: 1423,
    since: ago(4210),
    openedAt: ago(3600),
    trouble: aTrouble({
      key: { cluster: 'prod-eu-1', pool: 'worker-gpu', kind: 'drain-blocked' },
      severity: 'critical',
      headline: 'Drain of gpu-2 blocked by PodDisruptionBudget shop/web',
      findings: [
        finding({
          sentence: 'The budget shop/web needs 2 healthy pods and has 1, so gpu-2 cannot be drained.',
          because: [
            finding({
              sentence: 'web-b is Pending: 1 node cordoned, 7 without the label disk=ssd.',
              because: [noHome],
            }),
          ],
        }),
      ],
      facts: [
        { label: 'Node', value: 'gpu-2 (4 of 8, 3 done)' },
        { label: 'Stuck for', value: '1 h 10 min, usually 4 min' },
        { label: 'Old config still serving', value: 'yes' },
        { label: 'Trigger', value: 'team-a/gpu-tuning @ a1b2c3d' },
      ],
    }),
    deliveries: {
      'platform-channel': aDelivery({ wantedSeq: 3, deliveredSeq: 3 }),
      'on-call': aDelivery({ wantedSeq: 3, deliveredSeq: 2 }),
    },
  }),
  anIncident({
    key: { cluster: 'prod-us-1', pool: '*', kind: 'watcher-blind' },
    number: 1424,
    since: ago(352),
    openedAt: ago(232),
    staleSince: ago(352),
    trouble: aTrouble({
      key: { cluster: 'prod-us-1', pool: '*', kind: 'watcher-blind' },
      severity: 'warning',
      headline: 'prod-us-1 cannot be read: connect ETIMEDOUT',
      facts: [],
    }),
    deliveries: { 'platform-channel': aDelivery({ wantedSeq: 1, deliveredSeq: 1 }) },
  }),
  anIncident({
    key: { cluster: 'test', pool: 'worker', kind: 'sync-stuck' },
    number: 1419,
    state: 'ok',
    since: ago(20_000),
    openedAt: ago(19_900),
    resolvedAt: ago(17_300),
    outcome: 'fixed',
    trouble: aTrouble({
      key: { cluster: 'test', pool: 'worker', kind: 'sync-stuck' },
      severity: 'warning',
      headline: 'sync of openshift-gitops/node-config runs for 1 h',
      facts: [],
    }),
  }),
];

function entry(seconds: number, type: string, pool: string, text: string): TimelineEntry {
  return aTimelineEntry({
    id: `${seconds}`,
    at: ago(seconds),
    cluster: 'prod-eu-1',
    pool,
    type: `poolkeeper.${type}.v1`,
    text,
  });
}

const timeline: readonly TimelineEntry[] = [
  entry(
    31,
    'incident.updated',
    'worker-gpu',
    'PK-1423 changed: Drain of gpu-2 blocked by PodDisruptionBudget shop/web',
  ),
  entry(410, 'pool.held', 'worker', 'held: storage migration on rack 4, asked by anna'),
  { ...entry(412, 'incident.opened', '*', 'PK-1424 opened: prod-us-1 cannot be read'), cluster: 'prod-us-1' },
  entry(738, 'pool.held', 'worker', 'held: operation of a1b2c3d runs'),
  entry(741, 'pool.confirmed', 'worker', 'pause confirmed'),
  entry(
    742,
    'pool.paused',
    'worker',
    'paused: push of a1b2c3d to acme/platform changes MachineConfigs of openshift-gitops/node-config',
  ),
  entry(
    743,
    'decision.nothing',
    '',
    'no action for team-a/shop: manages nothing that the Machine Config Operator renders',
  ),
  entry(
    3600,
    'incident.opened',
    'worker-gpu',
    'PK-1423 opened: Drain of gpu-2 blocked by PodDisruptionBudget shop/web',
  ),
  entry(5988, 'pool.resumed', 'worker-gpu', 'resumed: the sync of team-a/gpu-tuning succeeded and every gate is open'),
  entry(6090, 'race.decided', 'worker-gpu', 'the pause was late, too late for gpu-2'),
  entry(94_200, 'race.decided', 'worker', 'the pause was in time'),
];

const told = (seconds: number) => ({ at: ago(seconds), told: true });

const rollouts = [
  aNodeRollout({
    cluster: 'prod-eu-1',
    pool: 'worker-gpu',
    node: 'gpu-1',
    from: before.replace('worker', 'worker-gpu'),
    to: after.replace('worker', 'worker-gpu'),
    begun: told(7200),
    ended: { how: 'done', at: told(6120) },
    causes: [
      {
        kind: 'release-image',
        sources: ['00-worker'],
        why: 'the cluster runs another release of the Machine Config Operator',
      },
    ],
  }),
  aNodeRollout({
    cluster: 'prod-us-1',
    node: 'worker-7',
    from: before,
    to: after,
    begun: told(94_000),
    ended: { how: 'done', at: told(93_470) },
    causes: [
      {
        kind: 'git',
        sources: ['99-worker-chrony'],
        why: 'MachineConfig 99-worker-chrony of Application openshift-gitops/node-config, synced to a1b2c3d4',
        by: { application: 'openshift-gitops/node-config', revision: 'a1b2c3d4e5f60718293a4b5c6d7e8f9001122334' },
      },
    ],
  }),
];

/** The sample behind the handler of the page. */
export const sampleStatus = statusOf({
  newId: fakeIds(),
  views: { list: async () => [prodEu, prodUs, test] },
  incidents: { list: async () => incidents },
  timeline: { latest: async (limit) => timeline.slice(0, limit) },
  nodeRollouts: { ended: async () => ({ rollouts }) },
  sequenceViews: { list: async () => [waitingForClass(ago), classIsGone(ago), allDone(ago)] },
  configuration,
  clock: () => now,
});

export async function sampleStatusPage(): Promise<string> {
  const response = await sampleStatus(new Request('http://localhost/status', { headers: { accept: 'text/html' } }));
  return response.text();
}

if (import.meta.main) await writeFile(process.argv[2] ?? 'status-sample.html', await sampleStatusPage());
