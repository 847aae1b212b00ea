import { isInFlight, type Node } from '../../functions/core/openshift/node.ts';
import { isUpdated, type Pool } from '../../functions/core/openshift/pool.ts';
import type { GitPush } from '../openshift/argocd/git-repository.ts';
import { pushPayload } from '../openshift/argocd/push-payload.ts';
import { application, machineConfig } from '../openshift/reference-world.ts';
import { awaitEvent, DemoFailed, showMessage, waitUntil } from './awaiting.ts';
import type { Demo } from './demo-set-up.ts';
import { type OnCall, type Trouble, untilRemedied } from './on-call.ts';
import type { StepPrinter } from './step-printer.ts';

/** Waits for the state before the demo: the Application has synced once, the pool is updated, nothing is held. */
export async function waitUntilSettled(demo: Demo): Promise<void> {
  await waitUntil(demo, 'the cluster to settle', async () => isSynced(demo) && (await isWorkerUpdated(demo)));
  await waitUntil(demo, 'every hold of the first sync to end', async () => !(await worker(demo))?.paused);
  forgetWhatWas(demo);
}

/** What is awaited from here on has not happened yet. */
export function forgetWhatWas({ announced, published }: Demo): void {
  announced.splice(0);
  published.splice(0);
}

function isSynced({ world }: Demo): boolean {
  return world.openshift.argocd.application(application)?.status?.sync?.status === 'Synced';
}

/** A colleague pushes, and GitHub delivers it to Poolkeeper and to Argo CD. */
export async function push(
  demo: Demo,
  { step }: StepPrinter,
  { pushed = demo.world.pushChange(), change = `changes ${machineConfig}` }: Partial<Pushing> = {},
): Promise<void> {
  const payload = pushPayload(pushed);
  step('Git push', `${nameOf(pushed)} ${change}; GitHub delivers it`);
  const delivered = await demo.deliveries.push(payload);
  demo.world.openshift.argocd.receivePush(payload);
  step('Poolkeeper', `answers ${delivered.status} to the signed delivery; Argo CD gets its own`);
}

interface Pushing {
  readonly pushed: GitPush;
  /** What it does, for the line about it. */
  readonly change: string;
}

/** `acme/platform 8cead659`. */
export function nameOf({ repository: { owner, name }, after }: GitPush): string {
  return `${owner}/${name} ${after.slice(0, 8)}`;
}

/** Poolkeeper pauses the pool, and says why. */
export async function awaitPause(demo: Demo, { step }: Pick<StepPrinter, 'step'>): Promise<void> {
  const paused = await awaitEvent(demo, 'poolkeeper.pool.paused.v1');
  step('Poolkeeper', `pool worker is paused: ${paused.data.why}`);
}

/** The pause, the sync that runs meanwhile, and what the pause was worth. Throws DemoFailed if it came too late. */
export async function syncUnderPause(demo: Demo, { step }: StepPrinter): Promise<void> {
  await awaitPause(demo, { step });
  await awaitSync(demo, { step }, `Succeeded, ${machineConfig} is applied`);

  const { missedNodes, generation } = (await awaitEvent(demo, 'poolkeeper.pool.confirmed.v1')).data;
  const early = missedNodes.length === 0 ? 'no node was targeted before' : `too late for ${missedNodes.join(', ')}`;
  step('MCO', `has observed the pause (generation ${generation}); ${early}`);
  const { verdict } = (await awaitEvent(demo, 'poolkeeper.race.decided.v1')).data;
  step('Poolkeeper', `the sync has ended, and so does its hold; the pause was ${verdict}`);
  if (verdict !== 'early' && verdict !== 'in time') throw new DemoFailed(`the pause was ${verdict}`);
}

/** Argo CD runs the sync and ends it. `ended`: how that is told. */
export async function awaitSync(demo: Demo, { step }: Pick<StepPrinter, 'step'>, ended: string): Promise<void> {
  await waitUntil(demo, 'Argo CD to run the sync', async () => demo.announced.some((id) => id.includes('/Running/')));
  step('Argo CD', `${application}: Running`);
  await waitUntil(demo, 'the sync to end', async () =>
    demo.announced.some((id) => id.includes('/Succeeded/') || id.includes('/Failed/')),
  );
  step('Argo CD', `${application}: ${ended}`);
}

/** The gates open and the pool resumes. */
export async function resume(demo: Demo, { step }: StepPrinter): Promise<void> {
  const resumed = await awaitEvent(demo, 'poolkeeper.pool.resumed.v1');
  const [why = '', ahead] = resumed.data.why.split('; expect blocked drains: ');
  step('Poolkeeper', `the gates are open, pool worker resumes: ${why}`);
  if (ahead !== undefined) step('Poolkeeper', `expects the rollout to stop: ${ahead}`);
}

interface Rollout {
  /** What is awaited. */
  readonly what: string;
  /** The nodes as they were while the pool was still paused: the first may be done before the resume is told. */
  readonly before: readonly Node[];
  readonly isOver: () => Promise<boolean>;
}

/** A step for each node that is targeted or updated, until `isOver`. That of one which was targeted before was told. */
export async function followRollout(
  demo: Demo,
  { step }: Pick<StepPrinter, 'step'>,
  { what, before: nodesBefore, isOver }: Rollout,
): Promise<void> {
  const before = new Map(nodesBefore.map(({ name, currentConfig }) => [name, currentConfig]));
  const told = new Set(nodesBefore.filter(isInFlight).map(({ name }) => `target ${name}`));
  const once = (key: string, words: string) => {
    if (!told.has(key)) step('MCO', words);
    told.add(key);
  };
  await waitUntil(demo, what, async () => {
    for (const node of await workers(demo)) {
      const isNew = !isInFlight(node) && node.currentConfig !== before.get(node.name);
      // On a busy machine a node may come and go between two looks.
      if (isInFlight(node) || isNew) once(`target ${node.name}`, `${node.name} is targeted, cordoned and drained`);
      if (isNew) once(`update ${node.name}`, `${node.name} has rebooted into the new config`);
    }
    return isOver();
  });
}

/** Follows the rollout to its end. `before`: the nodes as they were while the pool was still paused. */
export async function followToTheEnd(demo: Demo, printer: StepPrinter, before: readonly Node[]): Promise<void> {
  await followRollout(demo, printer, { what: 'the pool to be updated', before, isOver: () => isWorkerUpdated(demo) });
  printer.step('MCO', 'every worker runs the new config; pool worker is Updated');
}

/** The incident ends, and its message says so. */
export async function awaitEnd(demo: Demo, { step, say }: StepPrinter): Promise<void> {
  const resolved = await awaitEvent(demo, 'poolkeeper.incident.resolved.v1');
  step('Poolkeeper', `PK-${resolved.data.number} is resolved; the message says why`);
  await showMessage(demo, 'RESOLVED', say);
}

/** Where a person decides: says what to do, and waits until that is done or Enter is pressed. Resolves with whether the
 *  demo has to do it; without a person it has to. */
export async function isLeftToTheDemo(
  { clock, keeper }: Demo,
  onCall: OnCall | undefined,
  { printer, ...trouble }: Trouble & { readonly printer: StepPrinter },
): Promise<boolean> {
  if (onCall === undefined) return true;
  const runAt = (speed: number) => {
    clock.runAt(speed);
    keeper.changes.note();
  };
  return (await untilRemedied(onCall, trouble, { clock, runAt, printer })) === 'enter';
}

export async function worker({ connection }: Demo): Promise<Pool | undefined> {
  return connection.pools.readPool('worker');
}

export async function isWorkerUpdated(demo: Demo): Promise<boolean> {
  const pool = await worker(demo);
  return pool !== undefined && isUpdated(pool);
}

export async function workers({ connection }: Demo): Promise<readonly Node[]> {
  return (await connection.pools.listNodes({ matchLabels: { 'node-role.kubernetes.io/worker': '' } })).items;
}

/** Names of the workers that have another config than before, or are to get one. */
export async function touchedNodes(demo: Demo, before: readonly Node[]): Promise<readonly string[]> {
  const configs = new Map(before.map(({ name, currentConfig }) => [name, currentConfig]));
  const isTouched = (node: Node) => isInFlight(node) || node.currentConfig !== configs.get(node.name);
  return (await workers(demo)).filter(isTouched).map(({ name }) => name);
}

/** Throws DemoFailed, which begins with `what`, if any of the workers was touched. */
export async function requireUntouched(demo: Demo, before: readonly Node[], what: string): Promise<void> {
  const touched = await touchedNodes(demo, before);
  if (touched.length > 0) throw new DemoFailed(`${what} ${touched.join(', ')}`);
}

/** What every scenario on the workers begins with. `count`: how many there are, in words. */
export function introduceWorkers({ clock }: Demo, say: StepPrinter['say'], story: string, count = 'three'): void {
  say(`A simulated OpenShift with Argo CD: cluster demo with ${count} workers, and three control-plane nodes.`);
  say(`Its time runs ${clock.speed} times as fast; all times below are the cluster's.\n`);
  say(`${story}\n`);
}
