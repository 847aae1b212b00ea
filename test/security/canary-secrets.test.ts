import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isUpdated } from '../../functions/core/openshift/pool.ts';
import { ApiError } from '../../local/openshift/api-server/api-error.ts';
import type { MachineConfigPool } from '../../local/openshift/api-server/cluster-objects.ts';
import { machineConfigPools, machineConfigs, pods } from '../../local/openshift/api-server/resource-types.ts';
import { pushPayload } from '../../local/openshift/argocd/push-payload.ts';
import { createEventRecorder } from '../../local/openshift/event-recorder.ts';
import { machineConfigManifest } from '../../local/openshift/machine-config/machine-config-manifest.ts';
import {
  application,
  buildReferenceWorld,
  machineConfig,
  type ReferenceWorld,
} from '../../local/openshift/reference-world.ts';
import { githubSignature } from '../../local/run/github-signature.ts';
import { argocd, type ProductLab, startProductLab, type Writing } from './product-lab.ts';

/** A value for every secret that Poolkeeper holds, each in the form of its real kind, and for every place where
 *  somebody else's secret may come along. None may ever be seen again in anything that is written. */
const canaries = {
  github: 'canary-github-6f1d2a',
  githubToken: 'ghp_canaryGithubToken4d1c77a0b2e9f3',
  argocd: 'canary-argocd-90be41',
  cluster: 'canary-cluster-77ac03',
  handshake: 'canary-handshake-c4e8f2',
  slack: 'xoxb-canary-slack-2b9d10',
  smtpPassword: 'canary-smtp-a813c5',
  slackSigning: 'canary-slack-signing-07d4e2',
  pagerDuty: 'canary-pagerduty-key-5b60f1',
  hookBearer: 'canary-hook-bearer-e95a37',
  hookSigning: 'canary-hook-signing-2c81bd',
  bearer: 'canary-bearer-51c0dd9e7b3f',
  /** In a file of a MachineConfig, and so in the rendered configuration. */
  pullSecret: 'Y2FuYXJ5LXB1bGwtc2VjcmV0OmQ0ZTgx',
  /** In the reason that a node gives for its failed update. */
  nodeReason: 'canary-node-reason-1e77b0',
  /** In what the kubelet says of a pod that cannot pull its image, and in the pod's event. */
  podEvent: 'eyJjYW5hcnlFdmVudA.eyJjYW5hcnlQYXlsb2Fk.c2lnbmF0dXJl',
  /** In the address of a Git repository, as some people write it into an Application. */
  repository: 'glpat-canaryRepository0123',
  /** In what an admission webhook says of a refused apply. */
  admission: 'canary-admission-3f5a99',
  /** In bodies: commit message, alert, CloudEvent. Bodies are neither logged nor stored. */
  body: 'canary-body-be77d4',
} as const;

let lab: ProductLab;
let world: ReferenceWorld;
let written: readonly Writing[] = [];

beforeAll(async () => {
  lab = await startProductLab(canaries);
  world = buildReferenceWorld(lab.openshift);
  await play();
  written = await lab.everythingWritten();
}, 900_000);

afterAll(() => lab?.stop());

/** The day of a cluster on which everything goes wrong that may carry a secret along. */
async function play(): Promise<void> {
  const isSynced = () => lab.openshift.argocd.application(application)?.status?.sync?.status === 'Synced';
  await lab.until('the first sync, and pool worker at rest', async () => isSynced() && (await isAtRest()));
  troubleOnNodes();
  await refusedRequests();
  slackAndMailFail();

  await pushWithPullSecret();
  await lab.until('the pause', () => isTold('poolkeeper.pool.paused.v1'));
  await lab.until('a drain that is blocked', () => incidents().includes('drain-blocked'));
  await lab.until('the degraded node', () => incidents().includes('node-degraded'));
  await lab.until('a message in Slack', () => lab.slack.messages.length > 0);
  await lab.until('a mail', () => lab.mails.length > 0);
  for (const path of ['/pd', '/api/v2/alerts', '/hook']) {
    const count = () => lab.machines.bodies.filter((each) => each.path === path).length;
    await lab.until(`${path}, which failed once`, () => count() > 1);
  }

  await syncThatFails();
  await applicationWithToken();
  await pullRequestWithPullSecret();
  await lookAtEverything();
  await clusterOutOfSight();
  await lookAtEverything();
}

function isTold(type: string): boolean {
  return lab.told.some((event) => event.type === type);
}

function incidents(): readonly string[] {
  return lab.told.flatMap((event) => (event.type === 'poolkeeper.incident.opened.v1' ? [event.data.kind] : []));
}

async function isAtRest(): Promise<boolean> {
  const pool = (await lab.connection.pools.listPools()).items.find(({ name }) => name === 'worker');
  return pool !== undefined && !pool.paused && isUpdated(pool);
}

function troubleOnNodes(): void {
  const { daemons, kubelets, registry, pace } = lab.openshift;
  const atOnce = (pool: MachineConfigPool) => Object.assign(pool.spec, { maxUnavailable: 3 });
  registry.modify(machineConfigPools, { name: 'worker', namespace: '' }, atOnce, { manager: 'kubectl-edit' });
  daemons.failUpdates('worker-1', {
    stage: 'apply',
    reason: `failed to run podman pull: https://robot:${canaries.nodeReason}@registry.example.com/os: unauthorized`,
  });
  const message = `Failed to pull image "registry.example.com/web": unauthorized: Authorization: Bearer ${canaries.podEvent}`;
  kubelets.failPods((pod) => pod.metadata.namespace === 'shop', { reason: 'ErrImagePull', message });
  const about = { namespace: 'shop', name: 'broken' };
  lab.openshift.deploy({ ...about, replicas: 2, nodeSelector: { disk: 'ssd' } });
  lab.openshift.addDisruptionBudget({ ...about, minAvailable: 2, matchLabels: { app: 'broken' } });
  const record = createEventRecorder({ registry, pace, component: 'kubelet' });
  for (const object of registry.list(pods, 'shop')) record({ object, type: 'Warning', reason: 'Failed', message });
}

/** Every entrance with what it must refuse, and what it refuses full of secrets. */
async function refusedRequests(): Promise<void> {
  const json = 'application/json';
  const body = JSON.stringify({ secret: canaries.body });
  const post = (path: string, headers: Readonly<Record<string, string>>, text = body) =>
    lab.ask(path, { method: 'POST', headers, body: text });
  const bearer = (token: string) => ({ 'content-type': json, authorization: `Bearer ${token}` });
  const signed = (text: string) => ({
    'content-type': json,
    'x-github-event': 'push',
    'x-github-delivery': 'canary-delivery',
    'x-hub-signature-256': githubSignature(text, canaries.github),
  });
  await post('/github', { ...signed(body), 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` });
  await post('/github', signed(body));
  await post('/github', signed(`{"${canaries.body}`), `{"${canaries.body}`);
  await post('/github', { ...signed(body), 'content-type': 'text/plain' });
  await pressButtons();
  for (const path of ['/argocd', '/cluster', '/handshake']) {
    await post(path, bearer(`${canaries.argocd}-wrong`));
    await post(path, bearer('$poolkeeper-token'));
    await post(path, { 'content-type': json });
    await lab.ask(path);
  }
  await post('/argocd', bearer(canaries.argocd));
  await post('/argocd', bearer(canaries.argocd), `{"${canaries.body}`);
  await post('/handshake', bearer(canaries.handshake));
  await post('/handshake', bearer(canaries.handshake), '[');
  await post('/handshake', bearer(canaries.handshake), handshakeOf('no-such-application'));
  await post('/handshake', bearer(canaries.handshake), handshakeOf(application));
  await post(`/cluster?token=${canaries.cluster}`, { 'content-type': json });
  await post(`/cluster?token=${canaries.cluster}&cluster=demo`, { 'content-type': json }, alert());
  await post('/cluster?cluster=demo', { ...bearer(canaries.cluster), ...binaryEvent }, body);
}

/** What Slack sends, and what somebody else does. */
async function pressButtons(): Promise<void> {
  const press = (secret: string, fields: Readonly<Record<string, unknown>>) => {
    const payload = {
      type: 'block_actions',
      team: { id: 'T0123456789' },
      user: { id: 'U1', username: 'anna' },
      channel: { id: 'C1' },
      token: canaries.body,
      message: { text: canaries.body },
      actions: [{ action_id: 'recheck', value: '1.1' }],
      ...fields,
    };
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    const at = Math.floor(lab.clock.now().getTime() / 1000);
    const signature = createHmac('sha256', secret).update(`v0:${at}:${body}`).digest('hex');
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': String(at),
      'x-slack-signature': `v0=${signature}`,
    };
    return lab.ask('/slack', { method: 'POST', headers, body });
  };
  await press(canaries.slackSigning, {});
  await press(canaries.slackSigning, { team: { id: 'T9' } });
  await press(canaries.slackSigning, { actions: canaries.body });
  await press(`${canaries.slackSigning}-wrong`, {});
}

const binaryEvent = {
  'ce-specversion': '1.0',
  'ce-id': '1',
  'ce-source': 'https://10.0.0.1:443',
  'ce-type': 'dev.knative.apiserver.resource.update',
  'ce-kind': 'MachineConfigPool',
  'ce-name': 'worker',
};

function handshakeOf(name: string): string {
  return JSON.stringify({ argocd, namespace: argocd, name, waitSeconds: 0 });
}

function alert(): string {
  return JSON.stringify({
    version: '4',
    alerts: [
      {
        status: 'firing',
        labels: { alertname: 'KubeNodeNotReady', cluster: 'demo', secret: canaries.body },
        annotations: { description: canaries.body },
        startsAt: '2026-03-02T10:00:00Z',
        fingerprint: '0011223344556677',
      },
    ],
  });
}

function slackAndMailFail(): void {
  lab.slack.failNext(
    'chat.postMessage',
    { kind: 'body', body: `who is ${canaries.slack}?` },
    { kind: 'status', status: 500 },
    { kind: 'error', error: `invalid_token_${canaries.slack}` },
  );
}

async function pushWithPullSecret(): Promise<void> {
  const auths = { 'registry.example.com': { auth: canaries.pullSecret } };
  const files = { '/etc/chrony.conf': 'server ntp2\n', '/var/lib/kubelet/config.json': JSON.stringify({ auths }) };
  const payload = pushPayload(
    world.repository.push({
      message: `rotate ${canaries.body}`,
      files: {
        'machine-config/worker-chrony.json': JSON.stringify(machineConfigManifest(machineConfig, 'worker', files)),
      },
    }),
  );
  await lab.deliveries.push(payload);
  lab.openshift.argocd.receivePush(payload);
}

/** Its author wrote the pull secret into it, and GitHub repeats our token in its first refusal. */
async function pullRequestWithPullSecret(): Promise<void> {
  const auths = { 'registry.example.com': { auth: canaries.pullSecret } };
  const files = { '/etc/chrony.conf': 'server ntp3\n', '/var/lib/kubelet/config.json': JSON.stringify({ auths }) };
  const { after } = world.repository.push({
    branch: 'topic',
    message: canaries.body,
    files: {
      'machine-config/worker-chrony.json': JSON.stringify(machineConfigManifest(machineConfig, 'worker', files)),
    },
  });
  lab.github.setPull({ repository: 'acme/platform', number: 7, head: after });
  lab.github.fail({
    request: /^GET .*\/pulls\/7$/,
    status: 503,
    headers: { 'x-asked-with': `Bearer ${canaries.githubToken}` },
  });
  const body = JSON.stringify({
    action: 'opened',
    number: 7,
    pull_request: { state: 'open', draft: false, title: canaries.body, head: { sha: after }, base: { ref: 'main' } },
    repository: { full_name: 'acme/platform', html_url: world.repository.htmlUrl, default_branch: 'main' },
  });
  await lab.ask('/github', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'pull_request',
      'x-github-delivery': 'canary-pull',
      'x-hub-signature-256': githubSignature(body, canaries.github),
    },
    body,
  });
  await lab.until('a comment on the pull request', () => lab.github.comments.length > 0);
}

async function syncThatFails(): Promise<void> {
  const release = lab.openshift.registry.admit(({ type, manager }) => {
    if (type === machineConfigs && manager.startsWith('argocd'))
      throw new ApiError(403, `admission webhook "guard" denied the request: password=${canaries.admission}`);
  });
  lab.openshift.argocd.receivePush(pushPayload(world.pushChange()));
  await lab.until('a sync that failed', () => incidents().includes('run-failed'));
  release();
}

/** Its repository does not exist, so that Argo CD tells of the failure with the address in it. */
async function applicationWithToken(): Promise<void> {
  lab.openshift.createApplication({
    name: 'with-token',
    repoURL: `https://oauth2:${canaries.repository}@github.com/acme/secret.git`,
    path: 'machine-config',
    automated: {},
    labels: { 'poolkeeper.dev/watch': 'true' },
  });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${canaries.handshake}` };
  await lab.ask('/handshake', { method: 'POST', headers, body: handshakeOf('with-token') });
}

/** An API server that repeats in its refusals what it was sent, and then breaks off. */
async function clusterOutOfSight(): Promise<void> {
  const { faults } = lab.openshift;
  const always = { matches: () => true };
  const message = `invalid bearer token "${canaries.bearer}", Authorization: Bearer ${canaries.bearer}`;
  faults.inject({ ...always, times: 20, fault: { kind: 'status', code: 401, message } });
  faults.inject({ ...always, times: 20, fault: { kind: 'status', code: 500, message } });
  faults.inject({ ...always, times: 5, fault: { kind: 'reset' } });
  faults.inject({ ...always, fault: { kind: 'status', code: 403, message } });
  await lab.until('the incident of a cluster out of sight', () => incidents().includes('watcher-blind'));
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${canaries.handshake}` };
  const { text } = await lab.ask('/handshake', {
    method: 'POST',
    headers,
    body: handshakeOf(application),
  });
  expect(text).toContain('"confirmed":false');
  faults.clear();
}

async function lookAtEverything(): Promise<void> {
  await lab.ask('/status', { headers: { accept: 'text/html' } });
  await lab.ask('/status', { headers: { accept: 'application/json' } });
  await lab.ask('/healthz');
  await lab.ask('/nothing');
}

/** A value as it stands, as a URL writes it, and as base64 shows it wherever it begins. */
function formsOf(value: string): readonly string[] {
  const shifted = [0, 1, 2].map((shift) => {
    const text = Buffer.from(`${'-'.repeat(shift)}${value}`).toString('base64');
    return text.slice(shift === 0 ? 0 : 4, -4);
  });
  return [...new Set([value, encodeURIComponent(value), ...shifted])];
}

describe('rule 10: nothing secret leaves', () => {
  test('the day was played to its end, through every place that is written to', () => {
    expect(incidents()).toEqual(
      expect.arrayContaining(['drain-blocked', 'node-degraded', 'run-failed', 'watcher-blind']),
    );
    for (const { where, text } of written) expect(text.length, where).toBeGreaterThan(200);
    const all = written.map(({ text }) => text).join('\n');
    // What carried the canaries did arrive; only they are gone.
    expect(lab.github.comments[0]?.body).toContain('/var/lib/kubelet/config.json');
    expect(all).toContain('failed to run podman pull: https://[removed]@registry.example.com/os');
    expect(all).toContain('unauthorized: Authorization: Bearer [');
    expect(all).toContain('denied the request: password=[removed]');
    expect(all).toContain('invalid bearer token \\"[token removed]\\"');
  });

  test.each(Object.entries(canaries))('the %s canary is nowhere', (_name, value) => {
    const found = written.flatMap(({ where, text }) =>
      formsOf(value)
        .filter((form) => text.includes(form))
        .map((form) => `${where}: ${text.slice(Math.max(0, text.indexOf(form) - 160), text.indexOf(form) + 60)}`),
    );

    expect(found).toEqual([]);
  });
});
