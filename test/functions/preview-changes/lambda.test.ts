import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { holdsAnnotation } from '../../../functions/core/openshift/hold.ts';
import { handler as previewChanges } from '../../../functions/preview-changes/lambda.ts';
import { handler as receiveGithub } from '../../../functions/receive-github/lambda.ts';
import { prepare } from '../../../functions/shell/configuration/prepare.ts';
import { type GithubApi, startGithubApi } from '../../../local/github/github-api.ts';
import { machineConfigPools, machineConfigs } from '../../../local/openshift/api-server/resource-types.ts';
import { machineConfigManifest } from '../../../local/openshift/machine-config/machine-config-manifest.ts';
import { application, type ReferenceWorld } from '../../../local/openshift/reference-world.ts';
import { type EmbeddedTable, startEmbeddedTable } from '../../../local/run/embedded-table.ts';
import { aHold, aRecord } from '../../fakes/index.ts';
import { startReferenceWorld } from '../../local/openshift/start-reference-world.ts';
import { createVirtualClock } from '../../local/openshift/virtual-clock.ts';
import { type FakeAws, startFakeAws } from '../fake-aws.ts';
import { enterLambda, leaveLambda, writtenOut } from '../lambda-environment.ts';
import { apiEvent, githubHeaders, lambdaContext, queueEvent } from '../receiving.ts';

const cluster = 'secret-site-7';
const gitOrigin = 'https://github.com';
const chrony = 'machine-config/worker-chrony.json';

/** None of these may be seen in anything that is said, logged or queued. */
const secrets = {
  webhook: 'webhook-canary-1',
  githubToken: 'ghp_canaryTokenOfGithub0123456789abcdef',
  clusterToken: 'sha256~canary-of-the-cluster',
  privateKey: 'MIIEowIBAAKCAQEAcanaryOfThePullRequest',
  /** In a MachineConfig that is in the cluster and in no repository. */
  foreign: 'canary.of.the.cluster.example.com',
} as const;
/** And these in nothing that readers of the repository see. */
const names = [cluster, application, 'openshift-gitops', 'team-x/private-app', '127.0.0.1'];

let aws: FakeAws;
let table: EmbeddedTable;
let world: ReferenceWorld;
let github: GithubApi;
let folder = '';
let previewQueue = '';

beforeAll(async () => {
  aws = await startFakeAws({
    'arn:github': [secrets.webhook],
    'github/token': [secrets.githubToken],
    'clusters/site': [secrets.clusterToken],
  });
  table = await startEmbeddedTable();
  const clock = createVirtualClock(new Date('2026-03-02T08:00:00Z'));
  world = await startReferenceWorld({ clock, gitOrigin, token: secrets.clusterToken });
  const { registry } = world.openshift;
  registry.create(
    machineConfigs,
    machineConfigManifest('99-zz-site', 'worker', { '/etc/site.conf': secrets.foreign }),
    {
      manager: 'kubectl-create',
    },
  );
  await clock.advance(60_000);
  github = await startGithubApi({ host: world.openshift.git, origin: gitOrigin });
  previewQueue = `${aws.env['AWS_ENDPOINT_URL']}/000000000000/previews`;
  folder = await mkdtemp(join(tmpdir(), 'poolkeeper-preview-'));
  const configuration = {
    clusters: [
      { name: cluster, api: { server: world.openshift.url, tokenSecret: 'clusters/site', skipTLSVerify: true } },
    ],
    argocd: [{ name: 'hub', cluster, namespaces: ['openshift-gitops'] }],
    github: { api: github.api, tokenSecret: 'github/token', preview: {} },
  };
  await writeFile(join(folder, 'poolkeeper.yaml'), JSON.stringify(configuration));
  await prepare(join(folder, 'poolkeeper.yaml'), join(folder, 'poolkeeper.json'));
});
afterAll(async () => {
  await Promise.all([aws.close(), table.stop(), world.openshift.stop(), github.close()]);
  await rm(folder, { recursive: true });
});

beforeEach(() => {
  enterLambda({
    ...aws.env,
    AWS_ENDPOINT_URL_DYNAMODB: table.endpoint,
    POOLKEEPER_STAGE: 'test',
    POOLKEEPER_CONFIG: join(folder, 'poolkeeper.json'),
    WORK_QUEUE_URL: `${aws.env['AWS_ENDPOINT_URL']}/000000000000/work`,
    PREVIEW_QUEUE_URL: previewQueue,
    TABLE_NAME: table.table,
    GITHUB_SECRET_ARN: 'arn:github',
  });
});
afterEach(leaveLambda);

/** Commits to the branch of a pull request, which stands on all that `main` has, and describes it so. */
function commit(number: number, files: Readonly<Record<string, string>>): string {
  const { repository } = world;
  const { after } = repository.push({
    branch: `topic-${number}`,
    message: 'change',
    files: { ...Object.fromEntries(repository.head('main')?.files ?? []), ...files },
  });
  github.setPull({ repository: 'acme/platform', number, head: after });
  return after;
}

function ofWorkers(name: string, files: Readonly<Record<string, string>>): string {
  return JSON.stringify(machineConfigManifest(name, 'worker', files));
}

function chronyOf(server: string): Readonly<Record<string, string>> {
  return { [chrony]: ofWorkers('99-worker-chrony', { '/etc/chrony.conf': `server ${server}\n` }) };
}

/** GitHub delivers, and the deployed receiver puts it on the queue. */
async function deliver(number: number, head: string) {
  const body = JSON.stringify({
    action: 'synchronize',
    number,
    pull_request: { state: 'open', draft: false, head: { sha: head }, base: { ref: 'main' } },
    repository: { full_name: 'acme/platform', html_url: `${gitOrigin}/acme/platform`, default_branch: 'main' },
  });
  const headers = await githubHeaders({
    body,
    secret: secrets.webhook,
    headers: { 'x-github-event': 'pull_request', 'x-github-delivery': `delivery-${head.slice(0, 8)}` },
  });
  const { statusCode } = await receiveGithub(apiEvent({ path: '/github', headers, body }), lambdaContext());
  return { statusCode, message: aws.sent.get(previewQueue)?.at(-1) ?? '' };
}

async function work(...messages: readonly string[]): Promise<readonly string[]> {
  const { batchItemFailures } = await previewChanges(queueEvent(messages), lambdaContext());
  return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
}

const commentsOn = (number: number) => github.comments.filter(({ issue }) => issue === number);
const statusOf = (head: string) => github.statuses.findLast((each) => each.commit === head)?.body;

describe('the deployed receive-github and preview-changes', () => {
  it('[N-14] a signed pull request becomes a status and a comment, and its next push edits that in place', async () => {
    const first = commit(12, chronyOf('a.example.com'));
    const opened = await deliver(12, first);
    const failedFirst = await work(opened.message);
    const before = commentsOn(12)[0]?.body;
    const second = commit(12, chronyOf('b.example.com'));
    const pushed = await deliver(12, second);

    const failedSecond = await work(pushed.message);

    expect([opened.statusCode, pushed.statusCode, failedFirst, failedSecond]).toEqual([202, 202, [], []]);
    expect(statusOf(first)).toMatchObject({
      state: 'success',
      context: 'poolkeeper/impact',
      description: 'Into main: Reboots 3 nodes: worker, about 45 min.',
    });
    expect(statusOf(second)).toMatchObject({ description: 'Into main: Reboots 3 nodes: worker, about 45 min.' });
    expect(before).toContain('+server a.example.com');
    expect(commentsOn(12)).toMatchObject([{ edits: 1, body: expect.stringContaining('+server b.example.com') }]);
    expect(commentsOn(12)[0]?.body).not.toContain('a.example.com');
  });

  it('[N-14] [N-30] what was dropped from the base by a force push, a pull request that still has it brings back', async () => {
    const { repository } = world;
    const kept = repository.head('main')?.files.get(chrony) ?? '';
    const { after: dropped } = repository.push({ branch: 'main', message: 'bad', files: chronyOf('bad.example.com') });
    const head = commit(17, { 'README.md': 'harmless' });
    repository.push({ branch: 'main', message: 'set back', files: { [chrony]: kept } });
    github.setPull({ repository: 'acme/platform', number: 17, head, baseSha: dropped });
    const { message } = await deliver(17, head);

    const failed = await work(message);

    expect(failed).toEqual([]);
    expect(statusOf(head)).toMatchObject({ description: 'Into main: Reboots 3 nodes: worker, about 45 min.' });
    expect(commentsOn(17)[0]?.body).toContain('+server bad.example.com');
  });

  describe('a pull request whose base has moved a folder since it was cut', () => {
    /** What it changes is in the old folder. `merged`: the commit that GitHub made of it and `onto`. */
    async function openBehind(number: number, mergedOnto: (commits: { earlier: string; tip: string }) => string) {
      const { repository } = world;
      const onMain = repository.head('main');
      const files = Object.fromEntries(onMain?.files ?? []);
      const moved = chronyOf('moved.example.com');
      const commitOn = (branch: string, commits: Readonly<Record<string, string>>) =>
        repository.push({ branch: `${branch}-${number}`, message: 'change', files: commits }).after;
      const commits = {
        tip: onMain?.id ?? '',
        earlier: commitOn('earlier', { 'old/worker-chrony.json': files[chrony] ?? '' }),
      };
      const inOld = { 'old/worker-chrony.json': moved[chrony] ?? '' };
      const head = commitOn('topic', inOld);
      const onto = mergedOnto(commits);
      const merged = commitOn('merged', onto === commits.tip ? { ...files, ...moved } : inOld);
      github.setParents(commits.tip, [commits.earlier]);
      github.setParents(head, [commits.earlier]);
      github.setParents(merged, [onto, head]);
      github.setPull({ repository: 'acme/platform', number, head, mergeable: true, mergeCommit: merged });
      const { message } = await deliver(number, head);
      return { head, failed: await work(message) };
    }

    it('[S1-15] is told what the merge brings to its new place', async () => {
      const { head, failed } = await openBehind(18, ({ tip }) => tip);

      expect(failed).toEqual([]);
      expect(statusOf(head)).toMatchObject({ description: 'Into main: Reboots 3 nodes: worker, about 45 min.' });
      expect(commentsOn(18)[0]?.body).toContain('+server moved.example.com');
    });

    it('[S1-15] is not known, where GitHub tested the merge before that', async () => {
      const { head, failed } = await openBehind(19, ({ earlier }) => earlier);

      const why = 'its base has gone on since GitHub tested the merge';
      expect(failed).toEqual([]);
      expect(statusOf(head)).toMatchObject({
        description: `Into main: May reboot nodes: 1 part could not be judged (${why}).`,
      });
      expect(commentsOn(19)[0]?.body).toContain(`- \`merge into main\` could not be judged: ${why}.`);
    });
  });

  it('[N-14] nothing leaks: names are veiled, and content is that of the repository with its secrets masked', async () => {
    const { registry } = world.openshift;
    const hold = aHold({ who: 'team-x/private-app' });
    const marks = { [holdsAnnotation]: JSON.stringify(aRecord({ holds: [hold] })) };
    registry.modify(
      machineConfigPools,
      { name: 'worker', namespace: '' },
      ({ metadata }) => {
        metadata.annotations = { ...metadata.annotations, ...marks };
      },
      { manager: 'poolkeeper' },
    );
    const key = `-----BEGIN RSA PRIVATE KEY-----\n${secrets.privateKey}\n-----END RSA PRIVATE KEY-----\n`;
    const head = commit(13, {
      'machine-config/key.json': ofWorkers('99-zzz-key', { '/etc/app/server.pem': key, '/etc/site.conf': 'ours\n' }),
    });
    const { message } = await deliver(13, head);

    const failed = await work(message);

    const said = `${JSON.stringify(commentsOn(13))}${JSON.stringify(statusOf(head))}`;
    const everywhere = `${said}${[...aws.sent.values()].flat().join()}${writtenOut()}`;
    expect(failed).toEqual([]);
    expect(said).toContain('/etc/app/server.pem');
    expect(said).toContain('it replaces that of MachineConfig 99-zz-site, which is not in this repository');
    expect(said).toMatch(/`worker` of `cluster 1` is held since/);
    for (const secret of Object.values(secrets)) expect(everywhere).not.toContain(secret);
    for (const name of names) expect(said).not.toContain(name);
    expect(github.authorizations).toEqual(new Set([`Bearer ${secrets.githubToken}`]));
  });

  it('[N-14] a message that is none, and one for which GitHub asks to wait, fail alone and come again', async () => {
    const waits = await deliver(14, commit(14, chronyOf('c.example.com')));
    const goes = await deliver(15, commit(15, chronyOf('d.example.com')));
    github.fail({ request: /^GET .*\/pulls\/14$/, status: 429, headers: { 'retry-after': '60' } });

    const failed = await work('{"type":"x"}', waits.message, goes.message);
    const again = await work(waits.message);

    expect([failed, again]).toEqual([['message-0', 'message-1'], []]);
    expect([commentsOn(14).length, commentsOn(15).length]).toEqual([1, 1]);
  });

  it('[N-14] a cluster that refuses us is said to be unknown, without its name', async () => {
    const { faults } = world.openshift;
    const pools = { matches: ({ path }: { path: string }) => path.includes('machineconfigpools') };
    faults.inject({ ...pools, times: 9, fault: { kind: 'status', code: 500, message: `down: ${cluster}` } });
    const head = commit(16, chronyOf('e.example.com'));
    const { message } = await deliver(16, head);

    const failed = await work(message);

    expect(failed).toEqual([]);
    expect(statusOf(head)).toMatchObject({ description: 'Into main: 1 cluster not checked: nodes may reboot there.' });
    expect(commentsOn(16)[0]?.body).toContain('`cluster 1` could not be read (it does not answer)');
    expect(commentsOn(16)[0]?.body).not.toContain(cluster);
  });
});
