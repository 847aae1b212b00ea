import { describe, expect, onTestFinished, test } from 'vitest';
import { useLab } from './harness/lab.ts';
import { machineConfig } from './harness/objects.ts';
import { paths } from './harness/paths.ts';
import { until } from './harness/until.ts';
import { runPlain } from './sequence-run.ts';
import { finishJob } from './waiting-hook.ts';

const { kube, argocd, git } = useLab();
const jobs = `/apis/batch/v1/namespaces/${argocd.namespace}/jobs`;

/** An Application that nothing syncs by itself, with the PreSync Job that is printed for it beside a MachineConfig. */
async function withPrintedJob(name: string) {
  const { text } = await runPlain(
    ...['manifests', '--only', 'presync-job', '--application', name, '--argocd-namespace', argocd.namespace],
  );
  const repository = await git.createRepository(`acme/${name}`);
  const config = machineConfig(`99-${name}`, 'nobody');
  await repository.commit({ 'job.yaml': text, 'config.json': JSON.stringify(config) });
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
    const quick = await withPrintedJob('asks-briefly');
    await slow.application.sync();
    const own = await slow.untilAsked();

    await quick.application.sync();
    await finishJob(kube, `${jobs}/${(await quick.untilAsked()).metadata.name}`);
    await quick.application.untilPhase('Succeeded');
    await slow.application.refresh();
    await slow.application.untilPhase('Running');

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
});
