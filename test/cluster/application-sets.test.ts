import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clusterArgoCd } from '../../functions/adapters/kubernetes/argocd.ts';
import { connectCluster } from '../../functions/adapters/kubernetes/connect.ts';
import { systemRuntime } from '../../functions/adapters/time/system-runtime.ts';
import type { SetRoute } from '../../functions/core/routing/route.ts';
import { routingTable } from '../../functions/core/routing/routing-table.ts';
import type { HandledPush } from '../functions/core/routing/argocd-handler.ts';
import { isAnotherRef } from '../functions/core/routing/refreshed-in-vain.ts';
import { push as anyPush, repoUrl, targetRevision } from '../functions/core/routing/worlds.ts';
import { fc } from '../property.ts';
import { type StartedArgoCD, startArgoCD } from './harness/argocd.ts';
import { freePorts } from './harness/free-ports.ts';
import { deliver, githubPush } from './harness/github-push.ts';
import type { Draft } from './harness/kube.ts';
import { useLab } from './harness/lab.ts';
import { paths } from './harness/paths.ts';
import { type RunningProgram, startProgram } from './harness/process.ts';
import { until } from './harness/until.ts';

/** The real ApplicationSet controller, of which only the webhook matters here: its log says which ApplicationSets a
 *  push makes it look at. */
const home = 'sets';
const seed = 20_261_121;
const howMany = { sets: 240, pushes: 60 };
const collection = `/apis/argoproj.io/v1alpha1/namespaces/${home}/applicationsets`;
/** Each push is followed by one to this repository, whose set is looked at when the push has been dealt with. */
const sentinel = 'https://sentinel.example.com/a/b';
/** For the start alone, where it is knocked until somebody answers: a late answer must not pass for a sentinel. */
const door = 'https://sentinel.example.com/a/door';

const lab = useLab();
let argocd: StartedArgoCD;
let controller: RunningProgram;
let webhook: string;
let sets: readonly SetRoute[];

const generators = fc.sample(
  fc.record({
    repoURL: repoUrl,
    revision: targetRevision,
    form: fc.constantFrom('git', 'git', 'second', 'merge', 'folders'),
  }),
  { seed, numRuns: howMany.sets },
);
const pushes = fc.sample(anyPush, { seed, numRuns: howMany.pushes });

beforeAll(async () => {
  // Redis and the configuration; nothing is ever read from Git.
  argocd = await startArgoCD(lab.toolchain, lab.controlPlane, { namespace: home, only: [] });
  // Made by argocd-server, which does not run here.
  const key = { stringData: { 'server.secretkey': 'any' } };
  await lab.kube.patch(`${paths.in(home).secrets}/argocd-secret`, key);
  for (const [at, { repoURL, revision, form }] of generators.entries())
    await lab.kube.post(collection, setOf(`set-${at}`, generatorOf(repoURL, revision, form)));
  await lab.kube.post(collection, setOf('sentinel', generatorOf(sentinel, 'HEAD', 'git')));
  await lab.kube.post(collection, setOf('door', generatorOf(door, 'HEAD', 'git')));
  await startController();
  const connection = connectCluster({
    ...systemRuntime,
    server: lab.controlPlane.server,
    ca: lab.controlPlane.ca,
    token: async () => lab.controlPlane.token,
    userAgent: 'poolkeeper/test',
    clock: () => new Date(),
  });
  const instance = { name: 'hub', namespaces: [home], controllerNamespace: home };
  sets = await clusterArgoCd(connection.client, instance)
    .listApplicationSets()
    .then(({ items }) => items);
  await connection.close();
});

afterAll(async () => {
  await controller?.stop();
  for (const { metadata } of await lab.kube.list(collection)) await lab.kube.delete(`${collection}/${metadata.name}`);
  await argocd?.stop();
});

test('[S0-12] the ApplicationSets that a push concerns are a superset of those that Argo CD looks at for it', async () => {
  const table = routingTable([], { sets });
  let [theirsInAll, oursInAll] = [0, 0];

  for (const push of pushes) {
    const theirs = await lookedAt(push);

    const files = { kind: 'unknown', why: 'Argo CD does not look at them' } as const;
    const ours = new Set(table.setsConcernedBy({ ...push, files }).map(({ ref }) => ref.name));
    const inVain = new Set(
      generators.flatMap(({ revision }, at) => (isAnotherRef(revision, push) ? [`set-${at}`] : [])),
    );
    expect(
      [...theirs].filter((name) => !ours.has(name) && !inVain.has(name)),
      `${push.htmlUrl} ${push.ref}`,
    ).toEqual([]);
    theirsInAll += theirs.size;
    oursInAll += ours.size;
  }

  console.log(`ApplicationSets: ${theirsInAll} looked at by Argo CD, ${oursInAll} by us`);
  expect(theirsInAll).toBeGreaterThan(200);
  // More only by laxer URLs and what cannot be told.
  expect(oursInAll).toBeLessThan(3 * theirsInAll);
});

async function startController(): Promise<void> {
  const [port = 0, metrics = 0, probe = 0] = await freePorts(3);
  const token = lab.controlPlane.tokenFor({ name: 'applicationset-controller', groups: ['system:masters'] });
  const kubeconfig = await lab.controlPlane.writeKubeconfig(`${home}-applicationset-controller`, token, home);
  const address = (each: number) => `127.0.0.1:${each}`;
  controller = await startProgram({
    name: 'argocd-applicationset-controller',
    file: lab.toolchain.argocd,
    args: [
      ...['--webhook-addr', address(port), '--metrics-addr', address(metrics), '--probe-addr', address(probe)],
      ...['--namespace', home, '--argocd-repo-server', '127.0.0.1:1', '--repo-server-plaintext'],
      // One after the other: what was pushed before the sentinel is dealt with when the sentinel is.
      ...['--webhook-parallelism-limit', '1', '--logformat', 'json', '--kubeconfig', kubeconfig],
    ],
    env: {
      HOME: argocd.folder,
      KUBECONFIG: kubeconfig,
      ARGOCD_BINARY_NAME: 'argocd-applicationset-controller',
      ARGOCD_FAKE_IN_CLUSTER: 'true',
      ARGOCD_K8S_CLIENT_QPS: '2000',
      ARGOCD_K8S_CLIENT_BURST: '4000',
    },
    folder: argocd.folder,
    logFile: join(argocd.folder, 'applicationset-controller.log'),
  });
  webhook = `http://${address(port)}/api/webhook`;
  await until(
    async () => {
      await controller.check();
      await knock(door);
      return linesOf(await log()).length > 0;
    },
    60_000,
    'the ApplicationSet controller to hear the knocking',
  );
}

/** Names of the sets that it was made to look at, in order. */
function linesOf(text: string): readonly string[] {
  return [...text.matchAll(/refresh ApplicationSet [^/ ]+\/([\w-]+) from webhook/g)].map(([, name = '']) => name);
}

function log(): Promise<string> {
  return readFile(controller.logFile, 'utf8');
}

async function knock(htmlUrl: string): Promise<void> {
  await send({ htmlUrl, defaultBranch: 'main', ref: 'refs/heads/main', files: [] });
}

async function send({ htmlUrl, defaultBranch, ref }: HandledPush): Promise<void> {
  const [before, after] = ['a'.repeat(40), 'b'.repeat(40)];
  const repository = { name: 'acme/ocp', branch: defaultBranch, htmlUrl, cloneUrl: `${htmlUrl}.git` };
  const commit = { before, after, message: 'change', added: [], removed: [], modified: ['x'] };
  const answer = await deliver({ url: webhook, body: { ...githubPush(repository, commit), ref } });
  expect(answer.status).toBe(200);
}

async function lookedAt(push: HandledPush): Promise<ReadonlySet<string>> {
  const sentinels = (lines: readonly string[]) => lines.filter((name) => name === 'sentinel').length;
  const before = linesOf(await log());
  await send(push);
  await knock(sentinel);
  await until(async () => sentinels(linesOf(await log())) > sentinels(before), 60_000, 'a push to be dealt with');
  const after = linesOf(await log());
  return new Set(after.slice(before.length).filter((name) => name !== 'sentinel' && name !== 'door'));
}

function generatorOf(repoURL: string, revision: string, form: string): unknown {
  const git = { repoURL, revision, files: [{ path: 'clusters/*/config.json' }] };
  const list = { elements: [{ name: 'one' }] };
  switch (form) {
    case 'second':
      return { matrix: { generators: [{ list }, { git }] } };
    case 'merge':
      return { merge: { mergeKeys: ['name'], generators: [{ list }, { git }] } };
    case 'folders':
      return { git: { repoURL, revision, directories: [{ path: 'apps/*' }] } };
    default:
      return { git };
  }
}

function setOf(name: string, generator: unknown): Draft {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name, namespace: home },
    spec: {
      generators: [generator],
      template: {
        metadata: { name: `${name}-x` },
        spec: {
          project: 'default',
          source: { repoURL: sentinel, path: 'x', targetRevision: 'HEAD' },
          destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
        },
      },
    },
  };
}
