import { cloudEvent, type RequestAsked } from '../../../events/index.ts';
import { NodeTurns } from '../../../functions/core/configuration/node-turns.ts';
import { type RunRecord, runRecordText } from '../../../functions/core/node-turns/run-record.ts';
import type { AskedRequest, ClusterRequest } from '../../../functions/core/requests/asked-request.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import { takeRequest } from '../../../functions/keep-pools/requests/take-request.ts';
import { type KeepLab, keepLab } from './keep-lab.ts';

export const anna = 'U0123456789';
const slackButtons = {
  signingSecret: 's',
  team: 'T0123456789',
  users: [],
  mayFreeze: [anna],
  mayResume: [anna],
  maySteer: [anna],
  acknowledgeForSeconds: 14_400,
};

/** Commands as receive-slack stores them, delivered to keep-pools as often as a test says. */
export function commands(lab: KeepLab, ports = lab.ports) {
  const { askedRequests } = lab.world.tables;
  const answers: RequestAsked[] = [];
  const all = {
    ...ports,
    configuration: { ...ports.configuration, alerts: { ...ports.configuration.alerts, slackButtons } },
    askedRequests,
    requests: { send: async (event: RequestAsked) => void answers.push(event) },
  };
  let number = 0;
  async function store(request: ClusterRequest, change: Partial<AskedRequest> = {}): Promise<RequestAsked> {
    number += 1;
    const id = `command-${number}`;
    const at = lab.world.clock.now().toISOString();
    const answer = { channel: 'C0123456789', user: anna };
    const who = `anna (Slack ${anna})`;
    await askedRequests.save({ id, version: 0, cluster: 'prod', request, who, at, answer, state: 'asked', ...change });
    return cloudEvent({
      type: 'poolkeeper.request.asked.v1',
      id: `slack/${id}`,
      source: '/poolkeeper/receive-slack',
      subject: 'prod',
      time: lab.world.clock.now(),
      correlation: id,
      data: { id, cluster: 'prod' },
    });
  }
  return {
    answers,
    ports: all,
    store,
    deliver: (event: RequestAsked) => keep(event, all),
    async ask(request: ClusterRequest) {
      const event = await store(request);
      await keep(event, all);
      return (await askedRequests.load(event.data.id))?.outcome;
    },
  };
}

/** Commands about run upgrade, whose record is kept in `run.stored`. */
export function runCommands(lab = keepLab(), first?: RunRecord) {
  const run = { stored: first && runRecordText(first) };
  const notHere = () => Promise.reject(new Error('not here'));
  const records = {
    load: async (namespace: string) =>
      run.stored === undefined || namespace !== 'poolkeeper' ? undefined : { text: run.stored, resourceVersion: '1' },
    save: async (namespace: string, _run: string, { text }: { readonly text: string }) => {
      if (namespace === 'poolkeeper') run.stored = text;
    },
  };
  const listReadyNodes = async () => {
    const { items, unreadable } = await lab.world.pools.listNodes({});
    return { items: items.map((node) => ({ ...node, ready: true, cordoned: false })), unreadable };
  };
  const nodes = { listReadyNodes, readReadyNode: notHere, changeNode: notHere };
  const nodeTurns = NodeTurns.parse({
    rules: {},
    targets: { workers: { machineConfigPools: ['worker'] } },
    runs: {
      upgrade: { cluster: 'prod', namespace: 'databases', mode: 'turns', mutexTargets: [{ name: 'workers' }] },
    },
  });
  const { pools, reader, renderings } = lab.world;
  const jobs = { createJob: notHere, checkJob: notHere };
  const canary = { listFreshPools: notHere, readFreshPool: notHere, changePool: notHere };
  const { store, ports } = commands(lab, {
    ...lab.ports,
    configuration: { ...lab.ports.configuration, nodeTurns },
    cluster: async () => ({ pools, reader, renderings, nodeTurns: { records, nodes, jobs, canary } }),
  });
  async function said(request: ClusterRequest, change: Partial<AskedRequest> = {}) {
    const event = await store(request, change);
    await takeRequest(event, ports);
    return (await ports.askedRequests.load(event.data.id))?.outcome;
  }
  return { run, said };
}

export const hold = { kind: 'hold', pool: 'worker', forSeconds: 7200, reason: 'database migration' } as const;
export const freeze = { kind: 'freeze', pool: 'worker', forSeconds: 14_400, reason: 'storage moves' } as const;
export const thaw = { kind: 'thaw', pool: 'worker', reason: 'storage moved' } as const;
export const resume = { kind: 'resume', pool: 'worker', reason: 'CVE fix' } as const;
