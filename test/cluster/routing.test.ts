import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applicationOf } from '../../functions/adapters/kubernetes/application-of.ts';
import type { Application, ApplicationSource } from '../../functions/core/argocd/application.ts';
import { routeOf } from '../../functions/core/routing/route.ts';
import { type RoutingTable, routingTable } from '../../functions/core/routing/routing-table.ts';
import { type HandledPush, refreshed } from '../functions/core/routing/argocd-handler.ts';
import { reasonForMore } from '../functions/core/routing/reason-for-more.ts';
import { isRefreshedInVain } from '../functions/core/routing/refreshed-in-vain.ts';
import { routedPush } from '../functions/core/routing/routed-push.ts';
import { application as anyApplication, push as anyPush } from '../functions/core/routing/worlds.ts';
import { fc } from '../property.ts';
import { type StartedArgoCD, startArgoCD } from './harness/argocd.ts';
import { deliver, githubPush } from './harness/github-push.ts';
import type { Draft, KubeObject } from './harness/kube.ts';
import { useLab } from './harness/lab.ts';
import { paths } from './harness/paths.ts';
import { until } from './harness/until.ts';

/** An argocd-server without an application controller: nobody takes away the annotation by which it asks for a
 *  refresh. */
const home = 'routing';
const namespaces = [home, 'routing-a', 'routing-b'] as const;
const secret = 'routing secret';
const howMany = { applications: 1_050, pushes: 60 };
/** Of every run the same worlds; a failure names the push. */
const seed = 20_260_810;
const refresh = 'argocd.argoproj.io/refresh';
const generatePaths = 'argocd.argoproj.io/manifest-generate-paths';
/** Where a sample of the answers is kept, with POOLKEEPER_RECORD=1. */
const recordFile = join(import.meta.dirname, '../core/routing/recorded-answers.json');
const recordedApplications = 150;

const lab = useLab();
const sentinel = { name: 'sentinel', repoURL: 'https://sentinel.example.com/a/b' };
/** For the start alone, where it is knocked until somebody answers: a late answer must not pass for the sentinel's.
 *  It is made last, so who has heard of it has heard of all. */
const door = { name: 'door', repoURL: 'https://door.example.com/a/b' };
const ownNames: ReadonlySet<string> = new Set([sentinel.name, door.name]);
const drafts: readonly Application[] = fc
  .sample(anyApplication, { seed, numRuns: howMany.applications })
  .map((each, at) => ({ ...each, name: `app-${at}`, namespace: namespaces[at % namespaces.length] ?? home }));
const pushes = fc.sample(anyPush, { seed, numRuns: howMany.pushes });

let argocd: StartedArgoCD;
let applications: readonly Application[];
let table: RoutingTable;

beforeAll(async () => {
  for (const name of namespaces)
    await lab.controlPlane.ensure({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  argocd = await startArgoCD(lab.toolchain, lab.controlPlane, {
    namespace: home,
    webhookSecret: secret,
    only: ['argocd-server'],
    env: {
      // One after the other: what was pushed before the sentinel is dealt with when the sentinel is.
      ARGOCD_SERVER_WEBHOOK_PARALLELISM_LIMIT: '1',
      ARGOCD_APPLICATION_NAMESPACES: 'routing-*',
      ARGOCD_K8S_CLIENT_QPS: '2000',
      ARGOCD_K8S_CLIENT_BURST: '4000',
    },
  });
  await inParallel(drafts, (draft) => lab.kube.post(paths.in(draft.namespace).applications, manifestOf(draft)));
  for (const own of [sentinel, door]) await lab.kube.post(paths.in(home).applications, manifestOf(following(own)));
  await until(
    async () => {
      await knock(door.repoURL);
      return isAsked(door.name);
    },
    60_000,
    'argocd-server to have heard of every Application',
  );
  // What the other knocks at the door asked for is taken away with this one.
  await handled(emptyPush());
  applications = (await listAll())
    .filter(({ metadata }) => !ownNames.has(metadata.name))
    .map((object) => applicationOf('hub', object));
  table = routingTable(applications.map((each) => routeOf(each, 'prod')));
});

afterAll(async () => {
  const objects = await listAll();
  await inParallel(objects, ({ metadata }) =>
    lab.kube.delete(`${paths.in(metadata.namespace ?? home).applications}/${metadata.name}`),
  );
  await argocd?.stop();
});

describe('the Applications that a push concerns', () => {
  test('[S0-12] [N-1] are a superset of those that Argo CD refreshes, and each one more has a named reason', async () => {
    const reasons = new Map<string, number>();
    const recorded: { readonly push: HandledPush; readonly refreshed: readonly string[] }[] = [];
    let theirsInAll = 0;

    for (const push of pushes) {
      const theirs = await handled(push);

      const ours = new Set(table.concernedBy(routedPush(push)).map(({ route }) => route.ref.name));
      const what = `${push.htmlUrl} ${push.ref} ${push.files.join(' ')}`;
      expect(
        applications.filter(
          (each) => theirs.has(each.name) && !ours.has(each.name) && !isRefreshedInVain(each, push, 'source'),
        ),
        what,
      ).toEqual([]);
      // The program in our tests that stands for Argo CD's handler says what the real one does.
      expect(new Set(refreshed(applications, push, 'source').map(({ name }) => name)), what).toEqual(theirs);
      for (const each of applications.filter(({ name }) => ours.has(name) && !theirs.has(name))) {
        const reason = reasonForMore(each, push);
        expect(reason, `${each.name}: ${what}`).toBeDefined();
        reasons.set(reason ?? '', (reasons.get(reason ?? '') ?? 0) + 1);
      }
      theirsInAll += theirs.size;
      recorded.push({ push, refreshed: [...theirs] });
    }

    console.log(`routing: ${theirsInAll} refreshes by Argo CD; we say more because of`, Object.fromEntries(reasons));
    expect(theirsInAll).toBeGreaterThan(1_000);
    if (process.env['POOLKEEPER_RECORD'] === '1') await record(recorded);
  });

  test('[S0-12] are none for a push that is not signed', async () => {
    const [push = emptyPush()] = pushes;

    const answer = await deliver({ url: argocd.webhookUrl, body: bodyOf(push) });

    expect(answer.status).toBe(400);
    expect(await handled(emptyPush())).toEqual(new Set());
  });
});

/** Delivers a push, waits until argocd-server is done with it, and gives back whom it refreshed; takes the
 *  annotations away again. */
async function handled(push: HandledPush): Promise<ReadonlySet<string>> {
  await send(push);
  await knock(sentinel.repoURL);
  await until(() => isAsked(sentinel.name), 60_000, 'argocd-server to be done with a push');
  const asked = (await listAll()).filter(({ metadata }) => refresh in (metadata.annotations ?? {}));
  await inParallel(asked, ({ metadata }) =>
    lab.kube.patch(`${paths.in(metadata.namespace ?? home).applications}/${metadata.name}`, {
      metadata: { annotations: { [refresh]: null } },
    }),
  );
  return new Set(asked.map(({ metadata }) => metadata.name).filter((name) => !ownNames.has(name)));
}

async function knock(htmlUrl: string): Promise<void> {
  await send({ ...emptyPush(), htmlUrl });
}

async function send(push: HandledPush): Promise<void> {
  const answer = await deliver({ url: argocd.webhookUrl, body: bodyOf(push), secret });
  expect(answer.status).toBe(200);
}

async function isAsked(name: string): Promise<boolean> {
  const { metadata } = await lab.kube.get(`${paths.in(home).applications}/${name}`);
  return refresh in (metadata.annotations ?? {});
}

async function listAll(): Promise<readonly KubeObject[]> {
  const lists = await Promise.all(namespaces.map((name) => lab.kube.list(paths.in(name).applications)));
  return lists.flat();
}

async function inParallel<Item>(items: readonly Item[], job: (item: Item) => Promise<unknown>): Promise<void> {
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await job(item);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

function emptyPush(): HandledPush {
  return { htmlUrl: 'https://nobody.example.com/a/b', defaultBranch: 'main', ref: 'refs/heads/main', files: [] };
}

/** The files lie in as many commits as there are files, each added, modified or removed in turn. */
function bodyOf({ htmlUrl, defaultBranch, ref, files }: HandledPush): unknown {
  const [before, after] = ['a'.repeat(40), 'b'.repeat(40)];
  const repository = { name: 'acme/ocp', branch: defaultBranch, htmlUrl, cloneUrl: `${htmlUrl}.git` };
  const commit = { before, after, message: 'change', added: [], removed: [], modified: [] };
  const body = githubPush(repository, commit);
  const commits = files.map((file, at) => ({
    ...body.commits[0],
    added: at % 3 === 0 ? [file] : [],
    modified: at % 3 === 1 ? [file] : [],
    removed: at % 3 === 2 ? [file] : [],
  }));
  return { ...body, ref, commits };
}

function following({ name, repoURL }: typeof sentinel): Application {
  const [one] = drafts;
  if (one === undefined) throw new Error('no drafts');
  const source = { repoURL, path: '', targetRevision: 'HEAD', chart: '' };
  return { ...one, name, namespace: home, annotations: {}, sources: [source] };
}

function manifestOf({ name, namespace, annotations, sources }: Application): Draft {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace, annotations },
    spec: {
      project: 'default',
      destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
      ...specOf(sources),
    },
  };
}

function specOf(sources: readonly ApplicationSource[]): Readonly<Record<string, unknown>> {
  const [first, second] = sources;
  if (first?.hydration === 'dry' && second !== undefined) {
    const { repoURL, path, targetRevision } = first;
    const syncSource = { targetBranch: second.targetRevision, path: second.path };
    return { sourceHydrator: { drySource: { repoURL, path, targetRevision }, syncSource } };
  }
  return sources.length === 1 ? { source: first } : { sources };
}

/** A sample for `npm test`. The answers of Go's libraries in the same file stay as they are. */
async function record(
  answers: readonly { readonly push: HandledPush; readonly refreshed: readonly string[] }[],
): Promise<void> {
  const sample = applications.slice(0, recordedApplications);
  const names = new Set(sample.map(({ name }) => name));
  const { default: old } = await import(recordFile, { with: { type: 'json' } });
  const handler = {
    origin: `What argocd-server 3.2.11 refreshed: generated Applications and signed pushes (fast-check, seed ${seed}) on a real API server, read from the refresh annotation; test/cluster/routing.test.ts with POOLKEEPER_RECORD=1 writes it.`,
    applications: sample.map(({ name, sources, annotations }) => {
      const { [generatePaths]: paths } = annotations;
      return { name, sources, ...(paths === undefined ? {} : { generatePaths: paths }) };
    }),
    pushes: answers.map(({ push, refreshed: all }) => ({ ...push, refreshed: all.filter((name) => names.has(name)) })),
  };
  await writeFile(recordFile, `${JSON.stringify({ ...old, handler }, null, 1)}\n`);
}
