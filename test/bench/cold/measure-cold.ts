import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeTick } from '../../../events/index.ts';
import { type EmbeddedTable, startEmbeddedTable } from '../../../local/run/embedded-table.ts';
import { githubSignature } from '../../../local/run/github-signature.ts';
import type { ControlPlane } from '../../cluster/harness/control-plane.ts';
import { githubPush } from '../../cluster/harness/github-push.ts';
import { removeFolder, temporaryFolder } from '../../cluster/harness/leave-nothing.ts';
import { paths } from '../../cluster/harness/paths.ts';
import { bundle } from '../../functions/bundle.ts';
import { type FakeAws, startFakeAws } from '../../functions/fake-aws.ts';
import { apiEvent, queueEvent } from '../../functions/receiving.ts';
import { configurationFor, freshCommit, repositoryOf } from '../bench-product.ts';
import { createApplication, createPool, resetPool } from '../world.ts';
import type { Handled, Imported } from './environment.ts';

/** One environment of a function: what it did with its first push and with the next. */
export interface Lived {
  readonly imported: Imported;
  readonly cold: Handled;
  readonly warm: Handled;
}

export interface ColdSamples {
  readonly receiver: readonly Lived[];
  readonly keeper: readonly Lived[];
}

const githubSecret = 'bench-github-secret';
const pool = 'worker';
const application = 'nodes';

interface Stage {
  readonly controlPlane: ControlPlane;
  readonly aws: FakeAws;
  readonly workQueue: string;
  readonly env: NodeJS.ProcessEnv;
  readonly bundles: { readonly receiver: string; readonly keeper: string };
}

/** Starts both functions anew so many times, and lets each pair handle two pushes. The first round is not counted: it
 *  fills the table. */
export async function measureCold(controlPlane: ControlPlane, rounds: number): Promise<ColdSamples> {
  const folder = await temporaryFolder('bench-cold');
  const aws = await startFakeAws({ 'arn:github': [githubSecret], 'poolkeeper-bench-cluster': [controlPlane.token] });
  const table = await startEmbeddedTable();
  await createPool(controlPlane.kube, pool, [application]);
  await createApplication(controlPlane.kube, application);
  try {
    const stage = await setStage({ controlPlane, aws, table, folder });
    const lived = [];
    for (let round = 0; round <= rounds; round += 1) lived.push(await playRound(stage));
    const counted = lived.slice(1);
    return { receiver: counted.map(({ receiver }) => receiver), keeper: counted.map(({ keeper }) => keeper) };
  } finally {
    await controlPlane.kube.delete(`${paths.pools}/${pool}`);
    await aws.close();
    await table.stop();
    await removeFolder(folder);
  }
}

async function setStage(made: {
  readonly controlPlane: ControlPlane;
  readonly aws: FakeAws;
  readonly table: EmbeddedTable;
  readonly folder: string;
}): Promise<Stage> {
  const { controlPlane, aws, table, folder } = made;
  const queue = (name: string) => `${aws.env['AWS_ENDPOINT_URL']}/000000000000/${name}`;
  const configuration = configurationFor(controlPlane.server);
  const clusters = configuration.clusters.map((cluster) => ({
    ...cluster,
    api: { ...cluster.api, ca: controlPlane.ca, tokenSecret: 'poolkeeper-bench-cluster' },
  }));
  await writeFile(join(folder, 'poolkeeper.json'), JSON.stringify({ ...configuration, clusters }));
  const [receiver, keeper] = await Promise.all(['receive-github', 'keep-pools'].map((entry) => bundle(entry, folder)));
  return {
    controlPlane,
    aws,
    workQueue: queue('work'),
    bundles: { receiver: receiver?.file ?? '', keeper: keeper?.file ?? '' },
    env: {
      PATH: process.env['PATH'],
      ...aws.env,
      AWS_ENDPOINT_URL_DYNAMODB: table.endpoint,
      POOLKEEPER_STAGE: 'bench',
      POOLKEEPER_CONFIG: join(folder, 'poolkeeper.json'),
      WORK_QUEUE_URL: queue('work'),
      ALERT_QUEUE_URL: queue('alerts'),
      TABLE_NAME: table.table,
      BUS_NAME: 'poolkeeper',
      GITHUB_SECRET_ARN: 'arn:github',
    },
  };
}

async function playRound(stage: Stage): Promise<{ readonly receiver: Lived; readonly keeper: Lived }> {
  const receiver = await start(stage.bundles.receiver, stage.env);
  const keeper = await start(stage.bundles.keeper, stage.env);
  try {
    const cold = await pushThrough(stage, receiver.child, keeper.child);
    await settle(stage, keeper.child);
    const warm = await pushThrough(stage, receiver.child, keeper.child);
    await settle(stage, keeper.child);
    return {
      receiver: { imported: receiver.imported, cold: cold.received, warm: warm.received },
      keeper: { imported: keeper.imported, cold: cold.kept, warm: warm.kept },
    };
  } finally {
    receiver.child.disconnect();
    keeper.child.disconnect();
  }
}

async function start(file: string, env: NodeJS.ProcessEnv) {
  const child = fork(join(import.meta.dirname, 'environment.ts'), [pathToFileURL(file).href], {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  return { child, imported: await heard<Imported>(child) };
}

async function pushThrough(stage: Stage, receiver: ChildProcess, keeper: ChildProcess) {
  const body = JSON.stringify(githubPush(repositoryOf(application), freshCommit()));
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'push',
    'x-github-delivery': randomUUID(),
    'x-hub-signature-256': githubSignature(Buffer.from(body), githubSecret),
  };
  const received = await handle(receiver, apiEvent({ path: '/github', headers, body }));
  const message = stage.aws.sent.get(stage.workQueue)?.at(-1) ?? '';
  const kept = await handle(keeper, queueEvent([message]));
  if (kept.pausedMs === undefined) throw new Error('the push paused no pool');
  return { received, kept };
}

/** The pool as before the push, and the memory of it. */
async function settle({ controlPlane }: Stage, keeper: ChildProcess): Promise<void> {
  await resetPool(controlPlane.kube, pool);
  await handle(keeper, queueEvent([JSON.stringify(makeTick({ cluster: 'bench', why: 'clock' }, new Date()))]));
}

async function handle(child: ChildProcess, event: unknown): Promise<Handled> {
  child.send(event as object);
  return heard<Handled>(child);
}

/** Throws when the process ends instead. */
async function heard<Message>(child: ChildProcess): Promise<Message> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`an environment ended with ${code}`);
  });
  const [message] = await Promise.race([once(child, 'message'), ended]);
  return message as Message;
}
