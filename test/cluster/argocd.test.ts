import { createServer } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ApplicationDraft } from './harness/application.ts';
import { startArgoCD } from './harness/argocd.ts';
import { deliver, githubPush } from './harness/github-push.ts';
import type { KubeObject } from './harness/kube.ts';
import { useLab } from './harness/lab.ts';
import { close, listen } from './harness/loopback.ts';
import { machineConfig } from './harness/objects.ts';
import { paths } from './harness/paths.ts';
import { until } from './harness/until.ts';
import { finishWaitingHook, withWaitingHook } from './waiting-hook.ts';

const { toolchain, controlPlane, kube, argocd, git } = useLab();

/** A repository whose folder `cluster` holds the MachineConfig, and an Application that has synced it once. */
async function syncedApplication(name: string, options: Partial<ApplicationDraft> = {}) {
  const repository = await git.createRepository(`acme/${name}`);
  const path = `${paths.machineConfigs}/99-${name}`;
  const write = (content: string) => ({
    'cluster/config.json': JSON.stringify(machineConfig(`99-${name}`, 'nobody', content)),
  });
  const first = await repository.commit(write('first'));
  const application = await argocd.createApplication({ name, repository, path: 'cluster', ...options });
  onTestFinished(async () => {
    await application.delete();
    await kube.delete(path);
  });
  await application.untilPhase('Succeeded', first.after);
  return { repository, application, write, path };
}

function fileOf(config: KubeObject): string {
  return config.spec.config.storage.files[0].contents.source;
}

describe('Argo CD of the laboratory', () => {
  test('syncs a MachineConfig that was pushed, at the word of the webhook, and its notifications say so', async () => {
    const name = 'pushed';
    const heard = await hearNotifications(name);
    const { repository, application, write, path } = await syncedApplication(name, { labels: { 'heard-by': name } });

    const times: Record<string, number>[] = [];
    for (const content of ['second', 'third', 'fourth']) {
      // Without something to wait for, a sync may be over before the notifications controller looks.
      const hook = `wait-pushed-${content}`;
      const commit = await repository.commit(withWaitingHook(write(content), hook, 'PreSync', 'cluster'));
      const pushedMs = performance.now();
      const since = () => performance.now() - pushedMs;
      const answer = await deliver({ url: argocd.webhookUrl, body: githubPush(repository, commit) });
      expect(answer.status).toBe(200);
      const heardAt = (phase: string) =>
        until(
          () => heard.find((one) => one.phase === phase && one.revision === commit.after),
          60_000,
          `the ${phase} notification`,
        ).then((one) => one.atMs - pushedMs);
      const running = await heardAt('Running');
      await finishWaitingHook(kube, hook);
      const [changed, succeeded] = await Promise.all([
        until(
          async () => fileOf(await kube.get(path)) === `data:,${content}` && since(),
          60_000,
          `${path} to be "${content}"`,
        ),
        heardAt('Succeeded'),
      ]);
      times.push({ running, changed, succeeded });
      await application.untilPhase('Succeeded', commit.after);
    }

    for (const step of ['running', 'changed', 'succeeded']) {
      const seconds = times.map((one) => ((one[step] ?? 0) / 1_000).toFixed(2));
      console.log(`from the webhook, s: ${step.padEnd(10)}${seconds.join('  ')}`);
    }
    expect(fileOf(await kube.get(path))).toBe('data:,fourth');
  });

  test('acts as its own service account, which managedFields and admission can tell from a person', async () => {
    const { path } = await syncedApplication('account');

    const config = await kube.get(path);

    expect(config.metadata.managedFields?.map(({ manager }) => manager)).toContain('argocd-controller');
  });

  test('removes a MachineConfig that was deleted in Git', async () => {
    const { repository, application, path } = await syncedApplication('removed');
    const other = JSON.stringify(machineConfig('99-other', 'nobody'));
    onTestFinished(() => kube.delete(`${paths.machineConfigs}/99-other`));

    const commit = await repository.commit({ 'cluster/config.json': null, 'cluster/other.json': other });
    await application.refresh();
    await application.untilPhase('Succeeded', commit.after);

    await until(async () => (await kube.find(path)) === undefined, 60_000, `${path} to be gone`);

    expect(commit.removed).toEqual(['cluster/config.json']);
    expect(await kube.find(`${paths.machineConfigs}/99-other`)).toBeDefined();
  });

  test('fails a sync whose MachineConfig the API server refuses, and says why', async () => {
    const { repository, application, write, path } = await syncedApplication('refused', { retry: { limit: 0 } });
    const wrong = JSON.stringify({ ...machineConfig('99-refused', 'nobody'), spec: { kernelArguments: 'not a list' } });

    const commit = await repository.commit({ ...write('first'), 'cluster/config.json': wrong });
    await deliver({ url: argocd.webhookUrl, body: githubPush(repository, commit) });
    const failed = await application.untilPhase('Failed', commit.after);

    expect(failed.status.operationState.syncResult.resources[0]).toMatchObject({
      name: '99-refused',
      status: 'SyncFailed',
    });
    expect(fileOf(await kube.get(path))).toBe('data:,first');
  });

  test('may be started a second time in a namespace of its own, with a webhook secret, and stopped again', async () => {
    const second = await startArgoCD(toolchain, controlPlane, {
      namespace: 'second-argocd',
      webhookSecret: 'tell nobody',
    });
    onTestFinished(second.stop);
    const repository = await git.createRepository('acme/second');
    const body = githubPush(repository, await repository.commit({ README: 'hello' }));

    const signed = await deliver({ url: second.webhookUrl, body, secret: 'tell nobody' });
    const forged = await deliver({ url: second.webhookUrl, body, secret: 'guessed' });
    await second.stop();
    const stopped = await fetch(second.url).catch(() => 'nobody answers');

    expect([signed.status, forged.status]).toEqual([200, 400]);
    expect(stopped).toBe('nobody answers');
  });

  test('waits for a hook that nobody runs until its operation is terminated', async () => {
    const repository = await git.createRepository('acme/hooked');
    const hook = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'wait', annotations: { 'argocd.argoproj.io/hook': 'PreSync' } },
      spec: {
        template: { spec: { restartPolicy: 'Never', containers: [{ name: 'wait', image: 'example.com/wait' }] } },
      },
    };
    await repository.commit({
      'hook.json': JSON.stringify(hook),
      'config.json': JSON.stringify(machineConfig('99-hooked', 'nobody')),
    });
    const application = await argocd.createApplication({ name: 'hooked', repository, automated: false });
    onTestFinished(application.delete);

    await until(
      async () => (await application.read()).status?.sync?.status === 'OutOfSync',
      60_000,
      'hooked to be OutOfSync',
    );
    await application.sync();
    await application.untilPhase('Running');
    await until(() => kube.find('/apis/batch/v1/namespaces/default/jobs/wait'), 60_000, 'the hook to be there');
    await application.terminate();
    const ended = await application.untilPhase('Failed');

    expect(ended.status.operationState.message).toContain('Operation terminated');
    expect(await kube.find(`${paths.machineConfigs}/99-hooked`)).toBeUndefined();
  });
});

interface Heard {
  readonly phase: string;
  /** The commit asked for. A notification of the operation before may come after the next push: only this tells them
   *  apart. */
  readonly revision: string;
  readonly atMs: number;
}

/** Listens to Argo CD's notifications about the operations of Applications with the label `heard-by`. */
async function hearNotifications(label: string): Promise<Heard[]> {
  const heard: Heard[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      const { phase, revision } = JSON.parse(text) as Heard;
      heard.push({ phase, revision, atMs: performance.now() });
      response.end();
    });
  });
  const port = await listen(server);
  onTestFinished(() => close(server));
  // `startedAt` is in whole seconds: two quick operations share it, and the second one would be taken for the first.
  const state = 'app.status.operationState';
  const once = `${state}.startedAt + '/' + ${state}.phase + '/' + string(${state}.operation?.sync?.revision ?? '')`;
  await argocd.configureNotifications({
    config: {
      'service.webhook.ear': `url: http://127.0.0.1:${port}/$ear-path\nheaders: [{name: Content-Type, value: application/json}]\n`,
      'trigger.on-operation': `- when: app.status?.operationState?.phase != nil\n  oncePer: ${once}\n  send: [operation]\n`,
      'template.operation': `webhook:\n  ear:\n    method: POST\n    body: '{{$state := .app.status.operationState}}{"phase": "{{$state.phase}}", "revision": "{{$state.operation.sync.revision}}"}'\n`,
      subscriptions: `- recipients: [ear]\n  triggers: [on-operation]\n  selector: heard-by=${label}\n`,
    },
    secrets: { 'ear-path': 'secret' },
  });
  onTestFinished(() => argocd.configureNotifications({ config: {} }));
  return heard;
}
