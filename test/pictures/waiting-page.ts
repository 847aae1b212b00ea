import { Approve } from '../../functions/core/configuration/approve.ts';
import { defaultPoolSettings } from '../../functions/core/configuration/cluster.ts';
import { defaultPolicy } from '../../functions/core/configuration/policy.ts';
import { Window } from '../../functions/core/configuration/window.ts';
import { approval } from '../../functions/core/gates/approval.ts';
import { askGates } from '../../functions/core/gates/ask-gates.ts';
import { noEvidence } from '../../functions/core/gates/evidence.ts';
import { window } from '../../functions/core/gates/window.ts';
import { seen } from '../../functions/core/text/observed.ts';
import { statusOf } from '../../functions/status/status-of.ts';
import { aPool, aPoolView, aView, fakeIds, noImages } from '../fakes/index.ts';
import { aGateQuestion } from '../functions/core/gates/a-gate-question.ts';

const now = new Date('2026-11-22T14:02:31.000Z');
const from = 'rendered-worker-5b3f0a9ce1d24786a0b1c2d3e4f50617';
const to = 'rendered-worker-c81d4e2f7a6905b3d8e1f2a3b4c5d6e7';

function ago(minutes: number): string {
  return new Date(now.getTime() - minutes * 60_000).toISOString();
}

/** The windows and approvals of docs/windows.md. */
const windows = [
  {
    kind: 'allow',
    schedule: '0 22 * * 2',
    durationSeconds: 8 * 3600,
    timeZone: 'Europe/Berlin',
    description: 'Tuesday nights',
  },
  { kind: 'deny', from: '2026-12-01', to: '2027-01-07', timeZone: 'Europe/Berlin', description: 'not in December' },
].map((each) => Window.parse(each));
const approve = Approve.parse({ by: ['slack:U024BE7LH', 'slack:U0G9QF9C6'], needed: 2 });

const pool = aPool({ paused: true, target: { name: to, sources: ['00-worker', '99-worker-ssh'] } });

/** What the gates of a pool say whose change one of two people has approved, two days before its window opens. */
const { closed } = askGates(
  [window, approval],
  aGateQuestion({
    cluster: 'prod-eu-1',
    pool,
    pools: [pool],
    windows,
    settings: { ...defaultPoolSettings, approve },
    evidence: {
      ...noEvidence,
      images: noImages,
      approvals: seen([
        {
          cluster: 'prod-eu-1',
          pool: 'worker',
          config: to,
          who: 'slack:U024BE7LH',
          name: 'alice',
          verb: 'approve',
          at: ago(4),
          reason: '',
        },
      ]),
    },
    closedSince: { window: ago(14), approval: ago(14) },
    now,
  }),
);

const view = aView({
  cluster: 'prod-eu-1',
  readAt: ago(0.2),
  pools: [
    aPoolView({
      name: 'worker',
      createdAt: ago(412 * 1440),
      protection: 'handshake',
      paused: true,
      pauseOf: 'ours',
      pausedSince: ago(16),
      pausedBy: 'poolkeeper',
      currentConfig: from,
      targetConfig: to,
      pending: true,
      pendingSources: { added: ['99-worker-ssh'], removed: [] },
      pendingSince: ago(14),
      change: {
        from,
        to,
        renderedAt: ago(14),
        class: 'reboot',
        isByDefault: false,
        parts: ['file /etc/ssh/sshd_config.d/40-platform.conf', 'kernel argument audit=1'],
        partsInAll: 2,
        security: ['sshd'],
        causes: [
          {
            kind: 'git',
            sources: ['99-worker-ssh'],
            why: 'MachineConfig 99-worker-ssh of Application openshift-gitops/nodes, commit 4f2a9c1d',
          },
        ],
      },
      updated: false,
      counts: { machines: 12, ready: 12, updated: 0, unavailable: 0, degraded: 0 },
      holds: [],
      closedGates: closed,
    }),
  ],
});

/** The status page of that pool, as a browser gets it. */
export async function waitingPage(): Promise<string> {
  const answer = statusOf({
    newId: fakeIds(),
    views: { list: async () => [view] },
    incidents: { list: async () => [] },
    timeline: { latest: async () => [] },
    nodeRollouts: { ended: async () => ({ rollouts: [] }) },
    configuration: {
      clusters: [
        {
          name: 'prod-eu-1',
          api: {
            server: 'https://api.prod-eu-1.example.com:6443',
            ca: undefined,
            tokenSecret: 'token',
            skipTLSVerify: false,
          },
          policy: defaultPolicy,
          pools: {},
        },
      ],
    },
    clock: () => now,
  });
  const response = await answer(new Request('http://localhost/status', { headers: { accept: 'text/html' } }));
  return response.text();
}
