import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { startJobRunner } from './harness/job-runner.ts';
import { useLab } from './harness/lab.ts';
import { close, listen } from './harness/loopback.ts';
import { machineConfig } from './harness/objects.ts';
import { paths } from './harness/paths.ts';
import { until } from './harness/until.ts';
import { runPlain } from './sequence-run.ts';
import { finishJob, finishWaitingHook, withWaitingHook } from './waiting-hook.ts';

const { kube, argocd, git, controlPlane, toolchain } = useLab();
const jobs = `/apis/batch/v1/namespaces/${argocd.namespace}/jobs`;

async function printedJob(name: string): Promise<string> {
  const { text } = await runPlain(
    ...['manifests', '--only', 'presync-job', '--application', name, '--argocd-namespace', argocd.namespace],
  );
  return text;
}

/** An Application that nothing syncs by itself, with the PreSync Job that is printed for it beside a MachineConfig. */
async function withPrintedJob(name: string, alter = (files: Record<string, string>) => files) {
  const repository = await git.createRepository(`acme/${name}`);
  const config = machineConfig(`99-${name}`, 'nobody');
  await repository.commit(alter({ 'job.yaml': await printedJob(name), 'config.json': JSON.stringify(config) }));
  const application = await argocd.createApplication({ name, repository, automated: false });
  const job = async () => (await kube.list(jobs)).find((each) => JSON.stringify(each.spec).includes(`"${name}"`));
  onTestFinished(async () => {
    await application.delete();
    await kube.delete(`${paths.machineConfigs}/99-${name}`);
    const left = await job();
    if (left === undefined) return;
    await kube.patch(`${jobs}/${left.metadata.name}`, { metadata: { finalizers: null } });
    await kube.delete(`${jobs}/${left.metadata.name}?propagationPolicy=Background`);
  });
  await until(
    async () => (await application.read()).status?.sync?.status === 'OutOfSync',
    60_000,
    `${name} to be OutOfSync`,
  );
  return {
    application,
    job,
    untilAsked: () => until(job, 60_000, `the Job of ${name} to be there`),
    config: () => kube.find(`${paths.machineConfigs}/99-${name}`),
  };
}

describe('PreSync Jobs as they are printed, run by a real Argo CD', () => {
  test('[S0-5] that of another Application does not answer in place of the own one', async () => {
    const slow = await withPrintedJob('asks-long');
    // Its own Job stays until its sync has ended.
    const quick = await withPrintedJob('asks-briefly', (files) =>
      withWaitingHook(files, 'wait-asks-briefly', 'PostSync'),
    );
    await slow.application.sync();
    const own = await slow.untilAsked();

    await quick.application.sync();
    await finishJob(kube, `${jobs}/${(await quick.untilAsked()).metadata.name}`);
    await until(quick.config, 60_000, 'the other sync to begin');
    await finishWaitingHook(kube, 'wait-asks-briefly');
    await quick.application.untilPhase('Succeeded');

    expect((await slow.job())?.metadata.uid).toBe(own.metadata.uid);
    expect(await slow.config()).toBeUndefined();

    await finishJob(kube, `${jobs}/${own.metadata.name}`);
    await slow.application.untilPhase('Succeeded');
    expect(await slow.config()).toBeDefined();
  });

  test('[S0-5] a selective sync and one without hooks run none: they are applied without one', async () => {
    const { application, job, config } = await withPrintedJob('asks-nothing');
    const resources = [{ group: 'machineconfiguration.openshift.io', kind: 'MachineConfig', name: '99-asks-nothing' }];

    await application.sync({ resources });
    await application.untilPhase('Succeeded');
    const selective = await config();
    await kube.delete(`${paths.machineConfigs}/99-asks-nothing`);
    // As docs/questions.md has it.
    await kube.patch(application.path, { operation: { sync: { syncStrategy: { apply: {} } } } });
    const again = await until(config, 60_000, 'it to be applied again');

    expect(again.metadata.uid).not.toBe(selective?.metadata.uid);
    expect(selective).toBeDefined();
    expect(await job()).toBeUndefined();
  });

  test('[S0-5] a refusal fails the Job at once, with its log, and no second pod asks', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'presync-job-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, 'token'), 's3cret');
    const refusing = createServer((_, response) =>
      response.writeHead(412).end('{"confirmed":false,"why":["a rollout"]}'),
    );
    const port = await listen(refusing);
    onTestFinished(() => close(refusing));
    const runner = await startJobRunner(controlPlane, toolchain);
    onTestFinished(() => runner.stop());
    const job = parse(await printedJob('asks-in-vain'));
    const [container] = job.spec.template.spec.containers;
    const given = { TMPDIR: folder, TOKEN_FILE: join(folder, 'token'), POOLKEEPER_URL: `http://127.0.0.1:${port}` };
    container.env = [
      ...container.env.filter(({ name }: { readonly name: string }) => !(name in given)),
      ...Object.entries(given).map(([name, value]) => ({ name, value })),
    ];
    const { name } = job.metadata;
    await kube.post(jobs, job);
    onTestFinished(() => kube.delete(`${jobs}/${name}?propagationPolicy=Background`));

    const failed = await until(
      async () => {
        const conditions: readonly { type: string; reason: string }[] =
          (await kube.get(`${jobs}/${name}`)).status?.conditions ?? [];
        return conditions.find(({ type }) => type === 'Failed');
      },
      60_000,
      'the Job to fail',
    );

    expect(failed.reason).toBe('PodFailurePolicy');
    const { pods } = paths.in(argocd.namespace);
    const own = await kube.list(`${pods}?labelSelector=batch.kubernetes.io/job-name=${name}`);
    expect(own).toHaveLength(1);
    expect(String(await kube.get(`${pods}/${own[0]?.metadata.name}/log`))).toContain('a rollout');
  });
});
