import { randomUUID } from 'node:crypto';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ProxyAgent, request } from 'undici';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { readRecord } from '../../functions/core/openshift/pool-record.ts';
import type { Status } from '../../functions/status/status.ts';
import type { Application } from '../cluster/harness/application.ts';
import { type StartedArgoCD, startArgoCD } from '../cluster/harness/argocd.ts';
import { type StartedControlPlane, startControlPlane } from '../cluster/harness/control-plane.ts';
import { type Repository, startGitServer } from '../cluster/harness/git-server.ts';
import { deliver, githubPush } from '../cluster/harness/github-push.ts';
import { temporaryFolder } from '../cluster/harness/leave-nothing.ts';
import { machineConfig, node, pool } from '../cluster/harness/objects.ts';
import { paths } from '../cluster/harness/paths.ts';
import { startPoolObserver } from '../cluster/harness/pool-observer.ts';
import { until } from '../cluster/harness/until.ts';
import { buildToolchain } from '../cluster/toolchain/build-toolchain.ts';
import { buildPart } from '../cluster/toolchain/part.ts';
import { operatorDefinitions } from '../cluster/toolchain/parts.ts';
import { startEmulator } from './emulator/emulator.ts';
import { type Aws, openAws } from './harness/aws.ts';
import { nodeFolder } from './harness/clean-checkout.ts';
import { githubHeaders } from './harness/cloud.ts';
import { slackChannel } from './harness/configuration.ts';
import { type DeskClusters, layDesk } from './harness/desk.ts';
import { startGitopsOperator } from './harness/gitops-operator.ts';
import { type Inventory, inventory } from './harness/inventory.ts';
import { startNameProxy } from './harness/name-proxy.ts';
import { type Block, blocksOf, commandsOf } from './harness/page.ts';
import { type PublishedRepository, publishRepository } from './harness/published-repository.ts';
import { askStandIns, startStandIns } from './harness/stand-ins.ts';
import { openTerminal, type Terminal } from './harness/terminal.ts';

/** The pages are typed into an account, a region and clusters of their own, line by line, in the order in which they
 *  stand. */
const region = 'eu-central-1';
const gitops = 'openshift-gitops';
const deployPage = blocksOf('deploy.md');
const upgradePage = blocksOf('upgrade.md');
/** A pass every two seconds, and 15 s until a change of Git counts as rendered. */
const soonMs = 90_000;

const stops: (() => Promise<void>)[] = [];
const typed: Block[] = [];
let folder = '';
let terminal: Terminal;
let published: PublishedRepository;
let clusters: DeskClusters<StartedControlPlane>;
let argocd: StartedArgoCD;
let repository: Repository;
let application: Application;
let aws: Aws;
let before: Inventory;
let slackApiUrl = '';
let slackControlUrl = '';
let throughProxy: ProxyAgent;

beforeAll(async () => {
  const say = (line: string) => console.log(`toolchain: ${line}`);
  const toolchain = await buildToolchain(say);
  const definitions = await buildPart(operatorDefinitions, say);
  folder = await temporaryFolder('pages');
  const { python } = inject('cloud').emulator;
  const emulator = await startEmulator({ python, nodeFolder, home: region });
  stops.push(emulator.stop);
  aws = openAws(emulator);
  const proxy = await startNameProxy(emulator.endpoint);
  stops.push(proxy.stop);
  throughProxy = new ProxyAgent({ uri: proxy.url, requestTls: { ca: await readFile(emulator.caFile, 'utf8') } });

  const [eu, us] = [await startControlPlane(toolchain), await startControlPlane(toolchain)];
  clusters = { eu, us };
  stops.push(eu.stop, us.stop);
  const standIns = await startStandIns(eu.server);
  stops.push(standIns.stop);
  ({ slackApiUrl, controlUrl: slackControlUrl } = standIns);
  for (const cluster of [eu, us]) stops.push((await furnish(cluster)).stop);

  const git = await startGitServer();
  stops.push(git.stop);
  const proxied = { HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.1,localhost', SSL_CERT_FILE: emulator.caFile };
  argocd = await startArgoCD(toolchain, eu, { namespace: gitops, env: proxied });
  stops.push(argocd.stop);
  stops.push((await startGitopsOperator(eu, { definitions, namespace: gitops })).stop);
  repository = await git.createRepository('acme/platform');
  const first = await repository.commit(platform('first'));
  application = await argocd.createApplication({ name: 'nodes', repository });
  await application.untilPhase('Succeeded', first.after);

  published = await publishRepository(join(folder, 'poolkeeper.git'), 'v1.0.0');
  const env = await layDesk({
    folder,
    clusters,
    kubectl: toolchain.kubectl,
    emulator,
    proxyUrl: proxy.url,
    poolkeeper: published.folder,
  });
  terminal = await openTerminal({ folder, env });
  stops.push(terminal.close);
}, 300_000);

afterAll(async () => {
  await throughProxy?.close();
  for (const stop of stops.splice(0).reverse()) await stop();
}, 120_000);

/** Pools and nodes as an installed cluster has them, and somebody who moves them. */
async function furnish(cluster: StartedControlPlane) {
  await cluster.ensure(
    pool({ name: 'master', roles: ['master'] }),
    pool({ name: 'worker', roles: ['worker'] }),
    node('master-1', 'master'),
    node('worker-1', 'worker'),
    node('worker-2', 'worker'),
    machineConfig('00-master', 'master'),
    machineConfig('00-worker', 'worker'),
  );
  return startPoolObserver(cluster, { targetDelayMs: 1_000 });
}

const hook = 'wait-before-nodes';

/** What stands in Git. The PreSync Job is there to look at the pool before anything is applied: nothing runs it but
 *  the test. */
function platform(content: string, withHook = false): Record<string, string | null> {
  const job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: hook,
      annotations: { 'argocd.argoproj.io/hook': 'PreSync', 'argocd.argoproj.io/hook-delete-policy': 'HookSucceeded' },
    },
    spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'wait', image: 'example.com/wait' }] } } },
  };
  return {
    '99-worker-motd.json': JSON.stringify(machineConfig('99-worker-motd', 'worker', content)),
    'hook.json': withHook ? JSON.stringify(job) : null,
  };
}

async function finishHook(): Promise<void> {
  const path = `/apis/batch/v1/namespaces/default/jobs/${hook}`;
  await until(() => clusters.eu.kube.find(path), soonMs, 'the PreSync Job to be there');
  const at = `${new Date().toISOString().slice(0, 19)}Z`;
  const conditions = ['SuccessCriteriaMet', 'Complete'].map((type) => ({
    ...{ type, status: 'True', lastProbeTime: at, lastTransitionTime: at },
  }));
  const status = { startTime: at, completionTime: at, succeeded: 1, conditions };
  await clusters.eu.kube.patch(`${path}/status`, { status });
}

/** Types the blocks of a section, each line as it stands but for what its reader puts in. Answers what was shown. */
async function typeSection(page: readonly Block[], section: string, put: (line: string) => string = (line) => line) {
  const blocks = page.filter((block) => block.section === section);
  if (blocks.length === 0) throw new Error(`no page has a section ${section} with something to type`);
  let shown = '';
  for (const block of blocks) {
    typed.push(block);
    if (block.language === 'yaml') {
      await appendFile(join(folder, 'poolkeeper', 'poolkeeper.yaml'), `${block.lines.map(put).join('\n')}\n`);
      continue;
    }
    for (const line of commandsOf(block))
      shown += `${await terminal.type(put(line), line.startsWith('read ') ? { afterwards: 'xoxb-good' } : {})}\n`;
  }
  return shown;
}

async function shellValue(expression: string): Promise<string> {
  return terminal.type(`echo "${expression}"`);
}

/** What GitHub sends to the payload URL, signed with the secret, both as the page says where to find them. */
async function sendAsGithub(event: 'ping' | 'push', body: unknown) {
  const bytes = Buffer.from(JSON.stringify(body));
  const headers = githubHeaders(bytes, await terminal.type('secret GithubSecretArn'), randomUUID());
  const url = await shellValue('$URL/github');
  const answer = await request(url, {
    method: 'POST',
    headers: { ...headers, 'x-github-event': event },
    body: bytes,
    dispatcher: throughProxy,
  });
  return { status: answer.statusCode, text: await answer.body.text() };
}

/** A commit that changes a MachineConfig, pushed: both webhooks get it. Its sync waits until `finishHook`. */
async function push(content: string) {
  const commit = await repository.commit(platform(content, true));
  const body = githubPush(repository, commit);
  const [ours, argo] = [await sendAsGithub('push', body), await deliver({ url: argocd.webhookUrl, body })];
  expect([ours.status, argo.status]).toEqual([202, 200]);
  return commit;
}

/** The pool that the push concerns, and who holds it. */
async function worker() {
  const { spec, metadata } = await clusters.eu.kube.get(`${paths.pools}/worker`);
  const read = readRecord(metadata.annotations?.['poolkeeper.dev/holds']);
  const holders = read.kind === 'record' ? read.record.holds.map(({ who }) => who) : [];
  return { paused: spec.paused === true, holders };
}

const untilPaused = (paused: boolean) =>
  until(async () => (await worker()).paused === paused, soonMs, `worker to be ${paused ? 'paused' : 'resumed'}`);

async function areUpdated(): Promise<boolean> {
  const { spec, status } = await clusters.eu.kube.get(`${paths.pools}/worker`);
  return status.configuration?.name === spec.configuration.name && status.updatedMachineCount === status.machineCount;
}

async function codeOf(stack: string): Promise<string> {
  const { Configuration } = await aws.cli('lambda', 'get-function', '--function-name', `${stack}-keep-pools`);
  return Configuration.CodeSha256;
}

/** The status page names them, each seen. */
async function untilSeen(...names: readonly string[]): Promise<void> {
  const ask = `curl -sS -u "me:$(secret StatusTokenArn)" -H 'Accept: application/json' "$URL/status"`;
  let shown = '';
  await until(
    async () => {
      shown = await terminal.type(ask);
      const { clusters: seen }: Pick<Status, 'clusters'> = JSON.parse(shown);
      return names.every((wanted) => seen.some(({ name, pools }) => name === wanted && pools.length > 0));
    },
    soonMs,
    () => `the status page to show the pools of ${names.join(', ')}; it shows ${shown.slice(0, 500)}`,
  );
}

test('[C-7] [C-13] deploy.md, steps 1 to 4: an empty account, a fresh clone, a cluster by its URL, CA and a token of a day, a channel and the service', async () => {
  await typeSection(deployPage, '1. The checkout and the account (3 min)');
  before = await inventory(aws);
  const connected = await typeSection(deployPage, '2. The cluster (2 min)');
  await typeSection(deployPage, '3. Alerts (2 min)', (line) =>
    line
      .replace('C0123456789', slackChannel)
      // Slack is not on this machine, and nobody waits two minutes here until a trouble counts.
      .replace(/^( +)tokenSecret: .*/, `$&\n$1apiUrl: ${slackApiUrl}/`)
      .replace(/^alerts:/, 'policy:\n  internals: { alerting: { holdDown: 0s } }\n$&'),
  );
  const deployed = await typeSection(deployPage, '4. The service (4 min)');
  await untilSeen('prod-eu');

  expect(connected).toContain('Dry run: nothing was changed.');
  expect(connected).toContain('The cluster is in poolkeeper.yaml.');
  expect(deployed).toContain('(y/n)');
  expect(deployed).toContain('{"ok":true}');
}, 600_000);

test('[C-10] deploy.md, steps 5 to 7: a signed ping, the operator of a real Argo CD, and a push that ends in the resume', async () => {
  const ping = await sendAsGithub('ping', { zen: 'Keep it logically awesome.', hook_id: 1 });
  await typeSection(deployPage, '6. Argo CD (2 min)');
  const instances = await clusters.eu.kube.list(`/apis/argoproj.io/v1beta1/namespaces/${gitops}/argocds`);
  await until(
    async () => {
      const { data } = await clusters.eu.kube.get(`${paths.in(gitops).configMaps}/argocd-notifications-cm`);
      return data?.['trigger.on-poolkeeper-operation'] !== undefined;
    },
    soonMs,
    'the operator to pass our notifications on',
  );

  const commit = await push('second');
  await untilPaused(true);
  const seen = await typeSection(deployPage, '7. The first push');
  await finishHook();
  await application.untilPhase('Succeeded', commit.after);
  await untilPaused(false);
  const described = await terminal.type('oc describe mcp worker');

  expect(ping).toMatchObject({ status: 200, text: expect.stringContaining('pong') });
  // One Argo CD, still with what its owner said of it.
  expect(instances.map(({ metadata, spec }) => [metadata.name, spec.server, spec.notifications])).toEqual([
    [gitops, { route: { enabled: true } }, { enabled: true }],
  ]);
  expect(seen).toMatch(/^true\n\{.*openshift-gitops\/nodes/);
  expect(described).toContain('PausedByPoolkeeper');
  expect(described).toContain('ResumedByPoolkeeper');
  const told = await terminal.type(
    `aws logs filter-log-events --log-group-name /poolkeeper-dev/receive-argocd --query 'events[].message' --output text`,
  );
  expect(told).toMatch(/"status":202/);
}, 300_000);

test('deploy.md, step 3: the channel hears of a degraded node', async () => {
  const prefix = 'machineconfiguration.openshift.io';
  const annotate = (state: string, reason: string) =>
    clusters.eu.kube.patch(`${paths.nodes}/worker-1`, {
      metadata: { annotations: { [`${prefix}/state`]: state, [`${prefix}/reason`]: reason } },
    });
  // Whoever moves the nodes after the resume writes their state, too.
  await until(areUpdated, soonMs, 'all nodes to have what was pushed');
  await annotate('Degraded', 'unexpected on-disk state');

  let seen = '';
  const message = await until(
    async () => {
      const { messages } = await askStandIns(slackControlUrl).slack();
      const { metadata } = await clusters.eu.kube.get(`${paths.nodes}/worker-1`);
      seen = JSON.stringify([messages.map(({ text }) => text), metadata.annotations]);
      return messages.find(({ text }) => text.includes('prod-eu/worker'));
    },
    soonMs,
    () => `Slack to have a message; it has, and the node: ${seen}`,
  );
  await annotate('Done', '');

  expect(message.text).toContain('prod-eu/worker');
}, 180_000);

test('deploy.md, "Changing it": a second cluster, another configuration, a new secret', async () => {
  const file = join(folder, 'poolkeeper', 'poolkeeper.yaml');
  const secret = await terminal.type('secret GithubSecretArn');
  const edited = (line: string) => line;
  const blocks = deployPage.filter(({ section }) => section === 'Changing it');
  const [another, edit, rotate, ...more] = blocks;
  if (another === undefined || edit === undefined || rotate === undefined) throw new Error('a block is missing');

  await typeBlock(another);
  await untilSeen('prod-eu', 'prod-us');
  await writeFile(file, (await readFile(file, 'utf8')).replace('holdDown: 0s', 'holdDown: 1s'));
  const diff = await typeBlock(edit, edited);
  await typeBlock(rotate);
  const ping = await sendAsGithub('ping', { zen: 'Design for failure.', hook_id: 1 });

  expect(more).toEqual([]);
  expect(diff).toContain('AWS::Lambda::Function');
  expect(await terminal.type('secret GithubSecretArn')).not.toBe(secret);
  expect(ping.status).toBe(200);
}, 300_000);

async function typeBlock(block: Block, put: (line: string) => string = (line) => line): Promise<string> {
  typed.push(block);
  let shown = '';
  for (const line of commandsOf(block)) shown += `${await terminal.type(put(line))}\n`;
  return shown;
}

test('[C-7] deploy.md, "Removing it": what the page made is gone, and no pool stays paused', async () => {
  await push('third');
  await untilPaused(true);
  const others = 'poolkeeper disconnect --context admin@prod-us --name prod-us --stage dev --config poolkeeper.yaml';
  await terminal.type(others);
  const shown = await typeSection(deployPage, 'Removing it');
  const after = await inventory(aws);
  const left = await worker();
  await finishHook();

  expect(shown).toContain('Nothing of Poolkeeper is left in prod-eu.');
  expect(shown).toContain('after `cdk destroy`');
  expect(left).toEqual({ paused: false, holders: [] });
  expect(await clusters.eu.kube.find(`${paths.namespaces}/poolkeeper`).then((found) => found?.status?.phase)).not.toBe(
    'Active',
  );
  expect({ ...after, secrets: [] }).toEqual({ ...before, secrets: [] });
}, 300_000);

test('[C-7] upgrade.md: stage prod, newer code and the version before while a hold is open, then leaving', async () => {
  const prod = (line: string) => line.replaceAll(/\bdev\b(?!\/)/g, 'prod');
  const connectAgain = deployPage.filter(({ section }) => section === '2. The cluster (2 min)');
  for (const block of connectAgain) for (const line of commandsOf(block)) await terminal.type(prod(line));
  for (const block of deployPage.filter(({ section }) => section === '4. The service (4 min)'))
    for (const line of commandsOf(block)) await terminal.type(prod(line));
  await untilSeen('prod-eu');
  const commit = await push('fourth');
  await untilPaused(true);
  const held = await worker();
  const first = await codeOf('poolkeeper-prod');
  await published.release('v1.1.0');
  const version = (line: string) => line.replace('<version>', 'v1.1.0').replace('<version before>', 'v1.0.0');

  const upgraded = await typeSection(upgradePage, 'Upgrade', version);
  const [second, stillHeld] = [await codeOf('poolkeeper-prod'), await worker()];
  await typeSection(upgradePage, 'Rollback', version);
  const [third, heldAgain] = [await codeOf('poolkeeper-prod'), await worker()];
  await finishHook();
  await application.untilPhase('Succeeded', commit.after);
  await untilPaused(false);
  await untilSeen('prod-eu');
  const settings = join(folder, 'poolkeeper', 'infra', 'settings.ts');
  await writeFile(settings, (await readFile(settings, 'utf8')).replace('keepsData: true', 'keepsData: false'));
  await typeSection(upgradePage, 'Leaving');
  const after = await inventory(aws);

  expect(upgraded).toContain('{"ok":true}');
  expect(second).not.toBe(first);
  expect(third).toBe(first);
  expect([stillHeld, heldAgain]).toEqual([held, held]);
  expect({ ...after, secrets: [] }).toEqual({ ...before, secrets: [] });
}, 900_000);

test('nothing that the two pages have to type was left out', () => {
  const all = [...deployPage, ...upgradePage];

  expect(all.filter((block) => !typed.includes(block))).toEqual([]);
  console.log(`pages: ${all.flatMap(commandsOf).length} lines in ${all.length} blocks typed, left out 0`);
});
