import type { CallAnswer, RuleEvent } from '../../../functions/core/node-turns/rule-call.ts';
import { takeAnswer } from '../../../functions/core/node-turns/rule-callback.ts';
import { parseRunRecord } from '../../../functions/core/node-turns/run-record.ts';
import { machineConfigPools, nodes } from '../../../local/openshift/api-server/resource-types.ts';
import type { Watch } from '../failing-calls.ts';
import { applicationOf, degraded, poolOf } from './fleet-lab.ts';
import { commitB } from './keep-lab.ts';
import { type RunLab, runLab } from './run-lab.ts';

/** Two runs at work on one cluster: `upgrade` takes the nodes of pool worker by a canary, and `others` those of pool db
 *  one after another. Before and after each node of both go a Job, an address that calls back, and a function. Beside
 *  them, a sync that affects pool gpu begins in every third minute and ends in the next one, and pools get into
 *  trouble. */
export interface RunsAtWork {
  readonly run: RunLab;
  /** A minute passes, and the clock ticks. */
  minute(): Promise<void>;
  /** What was not as it should be, each time that it was. */
  readonly wrong: readonly string[];
  isDone(): boolean;
  /** What comes of them. */
  end(): Promise<unknown>;
}

const rule = { type: 'http', jobSpec: undefined, cleanUpJobSpec: undefined, timeoutSeconds: 3_600 };
const [address, receiver] = ['https://changes.example.com', 'https://poolkeeper.example.com'];
const rules = {
  move: {},
  ask: { ...rule, http: { url: `${address}/ask`, cleanUpUrl: `${address}/asked`, callbackUrl: receiver } },
  call: { ...rule, type: 'lambda', lambda: { functionName: 'call', cleanUpFunctionName: 'called' } },
};
const worker = { 'node-role.kubernetes.io/worker': '' };
const pools = [
  {
    name: 'canary',
    renders: 'workers' as const,
    nodeSelector: { matchLabels: worker, matchExpressions: [{ key: 'isCanary', operator: 'Exists' as const }] },
  },
  {
    name: 'db',
    renders: 'workers' as const,
    nodes: ['db-0'],
    nodeSelector: { matchLabels: { 'node-role.kubernetes.io/db': '' } },
  },
];

/** In which minutes a pool gets into trouble. */
const troubles = [2, 7, 15];

const nodesOfRuns = [
  ['worker-0', 'worker'],
  ['db-0', 'db'],
] as const;
const currentConfig = 'machineconfiguration.openshift.io/currentConfig';

/** Seconds. Sweeps find the syncs that have begun. */
const sweepEverySeconds = 180;

/** Of the sync that affects pool gpu: it begins when a sweep is due. */
function phaseOf(minute: number): 'begins' | 'ends' | 'rests' {
  if (minute < 3) return 'rests';
  return (['begins', 'ends', 'rests'] as const)[minute % 3] ?? 'rests';
}

/** Pools give one content different names. */
function contentOf(rendered: string): string {
  return rendered.slice(rendered.lastIndexOf('-'));
}

/** What a run notes of its nodes, without the names of configs. */
function logOf(text: string): readonly string[] {
  const record = parseRunRecord(text);
  return record === 'unreadable'
    ? ['unreadable']
    : record.log.map(({ node, what }) => `${node} ${what.replace(/rendered-\S+/, '')}`);
}

const neighbours = ['gpu', 'stuck-1', 'stuck-2', 'stuck-3'];

/** They are on the cluster too, and without nodes. */
function settleNeighbours({ lab, connection }: RunLab): void {
  const { pools: fake } = lab.world;
  for (const name of neighbours) fake.put(poolOf(name));
  const { listPools, readPool, patchPool } = connection.pools;
  Object.assign(connection.pools, {
    listPools: async () => {
      const { items, unreadable } = await listPools();
      return { items: [...items, ...neighbours.map((name) => fake.get(name))], unreadable };
    },
    readPool: (name: string) => (neighbours.includes(name) ? fake.readPool(name) : readPool(name)),
    patchPool: (...args: Parameters<typeof patchPool>) =>
      neighbours.includes(args[0].name) ? fake.patchPool(...args) : patchPool(...args),
  } satisfies Partial<typeof connection.pools>);
}

export async function runsAtWork(watch: Watch): Promise<RunsAtWork> {
  /** By the ids of events: who is told twice is told so by the id. */
  const told = new Map<string, string>();
  const called: RuleEvent[] = [];
  const note = ({ id, type, data }: RuleEvent) => told.set(id, `${type.split('.')[2]} ${data['rule']} ${data['node']}`);
  const run = await runLab({
    nodes: ['worker-0'],
    rules,
    run: { mode: 'canary', canary: { name: 'canary' } },
    pools,
    runs: { others: { mode: 'turns', canary: undefined, mutexTargets: [{ name: 'dbs' }] } },
    more: { dbs: { machineConfigPools: ['db'] } },
    settings: { policy: { sweepEverySeconds } },
    ruleCalls: {
      post: async (_, __, event): Promise<CallAnswer> => {
        note(event);
        if ('callbackToken' in event.data) called.push(event);
        return { kind: 'answered', status: 200, said: '' };
      },
    },
    ruleFunctions: {
      invoke: async (_, __, event) => {
        note(event);
        return { kind: 'returned', text: JSON.stringify({ status: 'succeeded' }) };
      },
    },
    watch,
  });
  const { lab, openshift, clock } = run;
  const { world } = lab;
  const { argocd, tables } = world;
  settleNeighbours(run);
  argocd.put(applicationOf('gpu'));
  openshift.applyMachineConfig('99-gpu', 'gpu', { '/etc/gpu': 'a' });
  await clock.advance(60_000);
  const live = (name: string) => openshift.registry.get(machineConfigPools, name);
  const wrong: string[] = [];
  let minutes = 0;

  /** Whoever was told says that it is done. */
  async function callBack(): Promise<void> {
    for (const { id } of called.splice(0)) {
      const kept = await tables.ruleCallbacks.load(id);
      const taken = kept && takeAnswer(kept, { status: 'succeeded', message: '' }, clock.now());
      if (taken?.kind === 'taken') await tables.ruleCallbacks.save(taken.callback);
    }
  }

  function isUpdated(node: string, pool: string): boolean {
    const current = openshift.registry.get(nodes, node)?.metadata.annotations?.[currentConfig] ?? '';
    return contentOf(current) === contentOf(live(pool)?.spec.configuration?.name ?? '');
  }

  /** After the pass of a minute. */
  function look(): void {
    // The render of what has just been synced settles first.
    const isToBePaused = { begins: true, ends: undefined, rests: false }[phaseOf(minutes)];
    const { paused } = world.pools.get('gpu');
    if (isToBePaused !== undefined && paused !== isToBePaused) wrong.push(`${minutes}: pool gpu: paused is ${paused}`);
    const inTrouble = tables.incidents
      .all()
      .filter(({ key, state }) => key.kind === 'render-failed' && state === 'firing');
    const expected = troubles.filter((minute) => minute <= minutes).length;
    if (inTrouble.length !== expected) wrong.push(`${minutes}: ${inTrouble.length} of ${expected} troubles are told`);
    for (const [node, pool] of nodesOfRuns)
      if (!isUpdated(node, pool) && live(pool)?.spec.paused !== true)
        wrong.push(`${minutes}: pool ${pool} has resumed`);
  }

  lab.world.clock.set(clock.now());
  await run.tick();
  await run.change();
  return {
    run,
    wrong,
    async minute() {
      world.clock.set(clock.now());
      const phase = phaseOf(minutes);
      if (phase === 'begins') lab.syncs(commitB, {}, 'gpu');
      if (phase === 'ends') lab.ends('Succeeded', {}, 'gpu');
      const stuck = `stuck-${troubles.indexOf(minutes) + 1}`;
      if (neighbours.includes(stuck)) world.pools.change(stuck, 'machine-config-controller', degraded(stuck));
      for (const name of neighbours) world.pools.observe(name);
      await run.tick();
      look();
      minutes += 1;
      await callBack();
      await clock.advance(60_000);
    },
    isDone: () => nodesOfRuns.every(([node, pool]) => isUpdated(node, pool) && live(pool)?.spec.paused !== true),
    async end() {
      const records = await Promise.all(
        ['upgrade', 'others'].map((name) => run.connection.nodeTurns.records.load('poolkeeper', name)),
      );
      return {
        seen: nodesOfRuns.map(([node]) => run.seen.filter((each) => each.split(' ').includes(node))),
        told: [...told.values()].toSorted(),
        start: run.start(),
        history: tables.nodeRollouts
          .endedRollouts()
          .map(({ node }) => node)
          .toSorted(),
        logs: records.map((stored) => logOf(stored?.text ?? '')),
        troubles: lab.troubles().toSorted(),
      };
    },
  };
}
