import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PublishedEvent } from '../../events/index.ts';
import { readOutbox } from '../../functions/adapters/messengers/outbox.ts';
import { isInFlight, type Node } from '../../functions/core/openshift/node.ts';
import { isUpdated } from '../../functions/core/openshift/pool.ts';
import { pushPayload } from '../openshift/argocd/push-payload.ts';
import { application, fastNode, machineConfig, secondNode } from '../openshift/reference-world.ts';
import type { Narrator } from './narrator.ts';
import { cluster, type Stage } from './stage.ts';

/** How long the story waits for its next step before it says that it went wrong. Minutes of the cluster's time. */
const patienceMinutes = 30;
/** How often it looks. Milliseconds of the cluster's time. */
const lookEveryMs = 500;

/** The story came to a step that did not happen. */
export class WentWrong extends Error {
  override readonly name = 'WentWrong';
}

/** Plays one push from beginning to end through the public webhooks. Throws WentWrong with the step that did not
 *  happen. */
export async function playStory(stage: Stage, { begin, tell, say }: Narrator): Promise<void> {
  await settled(stage);
  await introduce(stage, say);

  begin();
  const push = stage.world.pushChange();
  const payload = pushPayload(push);
  tell(
    'Git push',
    `${push.repository.owner}/${push.repository.name} ${push.after.slice(0, 8)} changes ${machineConfig}; GitHub delivers it`,
  );
  const delivered = await stage.deliveries.push(payload);
  stage.world.openshift.argocd.receivePush(payload);
  tell('Poolkeeper', `answers ${delivered.status} to the signed delivery; Argo CD has its own`);

  const paused = await told(stage, 'poolkeeper.pool.paused.v1');
  tell('Poolkeeper', `pool worker is paused: ${paused.data.why}`);
  await until(stage, 'Argo CD to run the sync', async () => stage.announced.some((id) => id.includes('/Running/')));
  tell('Argo CD', `${application}: Running`);
  await until(stage, 'the sync to succeed', async () => stage.announced.some((id) => id.includes('/Succeeded/')));
  tell('Argo CD', `${application}: Succeeded, ${machineConfig} is applied`);

  const confirmed = await told(stage, 'poolkeeper.pool.confirmed.v1');
  const early =
    confirmed.data.missedNodes.length === 0
      ? 'no node was on its way'
      : `too late for ${confirmed.data.missedNodes.join(', ')}`;
  tell('MCO', `has observed the pause (generation ${confirmed.data.generation}); ${early}`);
  const race = await told(stage, 'poolkeeper.race.decided.v1');
  tell('Poolkeeper', `the sync is over, its hold ends; the pause was ${race.data.verdict}`);
  if (race.data.verdict !== 'early' && race.data.verdict !== 'in time')
    throw new WentWrong(`the pause was ${race.data.verdict}`);
  await nodesUntouched(stage);
  tell('Poolkeeper', 'all nodes run their old config: nothing rebooted under the sync');

  const resumed = await told(stage, 'poolkeeper.pool.resumed.v1');
  const [why = '', ahead] = resumed.data.why.split('; expect a stop: ');
  tell('Poolkeeper', `the gates are open, pool worker resumes: ${why}`);
  if (ahead !== undefined) tell('Poolkeeper', `has looked ahead, and expects a stop: ${ahead}`);
  await tellRollout(stage, tell);

  const opened = await told(stage, 'poolkeeper.incident.opened.v1');
  tell('Poolkeeper', `PK-${opened.data.number} ${opened.data.headline}`);
  await showMessage(stage, 'FIRING', say);
  stage.world.labelSecondNode();
  tell('A person', `does what the message advises: oc label node ${secondNode} disk=ssd`);
  await until(stage, 'the pool to be updated', async () => isWorkerUpdated(stage));
  tell('MCO', 'every worker runs the new config; pool worker is Updated');
  const resolved = await told(stage, 'poolkeeper.incident.resolved.v1');
  tell('Poolkeeper', `PK-${resolved.data.number} is resolved, the message says what ended it`);
  await showMessage(stage, 'RESOLVED', say);
}

type Told<Type extends PublishedEvent['type']> = Extract<PublishedEvent, { type: Type }>;

/** The first event of this type about pool worker, as soon as it is told. */
async function told<const Type extends PublishedEvent['type']>(stage: Stage, type: Type): Promise<Told<Type>> {
  const isIt = (event: PublishedEvent): event is Told<Type> => event.type === type;
  const find = () => stage.told.find(isIt);
  await until(stage, `Poolkeeper to tell ${type}`, async () => find() !== undefined);
  const event = find();
  if (event === undefined) throw new WentWrong(`${type} was told and is gone`);
  return event;
}

async function until({ clock, log }: Stage, what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadlineMs = clock.now().getTime() + patienceMinutes * 60_000;
  while (!(await isSo())) {
    if (clock.now().getTime() > deadlineMs)
      throw new WentWrong(`waited ${patienceMinutes} minutes for ${what}; the log is ${log}`);
    await clock.runtime.sleep(lookEveryMs);
  }
}

/** The world before the story: the Application has synced once, the pool is updated, nothing is held. */
async function settled(stage: Stage): Promise<void> {
  const isSynced = () => stage.world.openshift.argocd.application(application)?.status?.sync?.status === 'Synced';
  await until(stage, 'the cluster to settle', async () => isSynced() && (await isWorkerUpdated(stage)));
  await until(stage, 'every hold of the first sync to end', async () => !(await worker(stage))?.paused);
  stage.announced.splice(0);
  stage.told.splice(0);
}

async function introduce({ clock, connection }: Stage, say: (line: string) => void): Promise<void> {
  const nodes = await connection.pools.listNodes({});
  say(
    `A simulated OpenShift with Argo CD; its time runs ${clock.speed} times as fast, and all times below are its own.`,
  );
  say(`Cluster ${cluster}: ${nodes.map((node) => node.name).join(', ')}.`);
  say(
    `Argo CD syncs ${application} by itself. The pods of shop/web fit on ${fastNode} only, and their PDB wants one of the two.\n`,
  );
}

async function worker({ connection }: Stage) {
  return (await connection.pools.listPools()).find((pool) => pool.name === 'worker');
}

async function isWorkerUpdated(stage: Stage): Promise<boolean> {
  const pool = await worker(stage);
  return pool !== undefined && isUpdated(pool);
}

async function workers({ connection }: Stage): Promise<readonly Node[]> {
  return connection.pools.listNodes({ matchLabels: { 'node-role.kubernetes.io/worker': '' } });
}

async function nodesUntouched(stage: Stage): Promise<void> {
  const touched = (await workers(stage)).filter(isInFlight);
  if (touched.length > 0)
    throw new WentWrong(`${touched.map((node) => node.name).join(', ')} were touched under the sync`);
}

/** A line for each node that arrives, until the incident about the one that does not. */
async function tellRollout(stage: Stage, tell: Narrator['tell']): Promise<void> {
  const arrived = new Set<string>();
  const targeted = new Set<string>();
  const isStuck = () => stage.told.some((event) => event.type === 'poolkeeper.incident.opened.v1');
  await until(stage, 'a node to get stuck in its drain', async () => {
    for (const node of await workers(stage)) {
      if (isInFlight(node) && !targeted.has(node.name)) tell('MCO', `${node.name} is targeted, cordoned and drained`);
      if (isInFlight(node)) targeted.add(node.name);
      if (!isInFlight(node) && targeted.has(node.name) && !arrived.has(node.name)) {
        arrived.add(node.name);
        tell('MCO', `${node.name} has rebooted into the new config`);
      }
    }
    return isStuck();
  });
}

/** The message as people get it, from the outbox, where it is edited in place. */
async function showMessage(stage: Stage, state: 'FIRING' | 'RESOLVED', say: (line: string) => void): Promise<void> {
  const standing = async () => {
    const [first] = await readOutbox(stage.outbox);
    return first === undefined ? '' : readFile(join(stage.outbox, `${first.name}.txt`), 'utf8');
  };
  await until(stage, `the message to say ${state}`, async () => (await standing()).includes(`${state} `));
  say('');
  for (const line of (await standing()).trimEnd().split('\n')) say(`            | ${line}`.trimEnd());
  say('');
}
