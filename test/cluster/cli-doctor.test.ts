import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Command } from '../../local/cli/command.ts';
import { connect } from '../../local/cli/connect.ts';
import { disconnect } from '../../local/cli/disconnect.ts';
import { doctor } from '../../local/cli/doctor/doctor.ts';
import type { Finding } from '../../local/cli/doctor/finding.ts';
import { useLab } from './harness/lab.ts';
import { pool } from './harness/objects.ts';
import { paths } from './harness/paths.ts';
import { githubSecret, startProduct } from './product.ts';

const lab = useLab();
const { kube, argocd, controlPlane } = lab;
const mco = 'openshift-machine-config-operator';
const home = 'poolkeeper-doctor';
const components = ['controller', 'daemon', 'server'] as const;

/** A connected cluster with a sound Machine Config Operator, and a Poolkeeper whose notifications Argo CD sends. */
async function world() {
  const folder = await mkdtemp(join(tmpdir(), 'poolkeeper-doctor-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const config = join(folder, 'poolkeeper.yaml');
  const environment: Record<string, string> = { POOLKEEPER_GITHUB_SECRET: githubSecret };
  async function run(command: Command, ...args: readonly string[]) {
    let text = '';
    const out = (more: string) => {
      text += more;
    };
    const status = await command.run(args, { out, note: () => {}, environment, now: () => new Date() });
    return { status, text };
  }
  const person = ['--kubeconfig', controlPlane.kubeconfig];
  const common = ['--name', 'lab', '--namespace', home, '--token-dir', folder, ...person];
  await lab.create(pool({ name: 'examined', roles: ['examined'] }));
  for (const part of components) await component(part, true);
  await run(connect, ...common, '--pools', 'examined', '--config', config);
  onTestFinished(async () => {
    await run(disconnect, ...common);
  });
  environment['POOLKEEPER_TOKEN_LAB'] = await readFile(join(folder, 'lab.token'), 'utf8');
  const product = await startProduct(lab, { notifications: true });
  const look = async (): Promise<{ readonly status: number; readonly findings: readonly Finding[] }> => {
    const args = ['--config', config, '--context', 'lab', '--url', product.url, '--output', 'json', ...person];
    const { status, text } = await run(doctor, ...args);
    return { status, findings: JSON.parse(text) };
  };
  return { look, product };
}

async function component(part: string, ready: boolean): Promise<void> {
  const name = `machine-config-${part}`;
  await kube.delete(`${paths.in(mco).pods}/${name}-x?gracePeriodSeconds=0`);
  await lab.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `${name}-x`, namespace: mco, labels: { 'k8s-app': name } },
    spec: { containers: [{ name: 'main', image: 'none' }], terminationGracePeriodSeconds: 0 },
  });
  const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False' }];
  await kube.patch(`${paths.in(mco).pods}/${name}-x/status`, { status: { conditions } });
}

function about(findings: readonly Finding[], words: string): Finding | undefined {
  return findings.find(({ what }) => what.includes(words));
}

test('[S3-15] [C-13] the doctor finds nothing wrong with what connect has made, and names each thing that breaks', async () => {
  const { look, product } = await world();
  await product.tick();

  const sound = await look();
  for (const part of components) await component(part, false);
  await kube.delete(`/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/${home}-poolkeeper-pause`);
  await kube.patch(`${paths.in(argocd.namespace).secrets}/argocd-notifications-secret`, { data: null });
  const broken = await look();

  // The instance is called `lab` in the product and after its namespace by connect; nobody has labelled an Application here.
  const expected = sound.findings.filter(
    ({ state, what }) => state === 'wrong' && !what.includes('call this instance'),
  );
  expect(expected).toEqual([]);
  expect(about(sound.findings, 'rights: all')?.state).toBe('ok');
  for (const part of components)
    expect(about(sound.findings, `machine-config-${part}: 1 of 1 ready`)?.state).toBe('ok');
  expect(about(sound.findings, 'takes what is signed')?.state).toBe('ok');
  expect(about(sound.findings, 'looked at')?.state).toBe('ok');
  expect(broken.status).toBe(1);
  expect(about(broken.findings, 'may not patch machineconfigpools examined')?.state).toBe('wrong');
  for (const part of components)
    expect(about(broken.findings, `machine-config-${part}: 1 of 1 not ready`)?.state).toBe('wrong');
  expect(about(broken.findings, 'sends the letters $poolkeeper-token')?.state).toBe('wrong');
});
