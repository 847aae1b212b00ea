import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Command } from '../../local/cli/command.ts';
import { connect } from '../../local/cli/connection/connect.ts';
import { disconnect } from '../../local/cli/connection/disconnect.ts';
import { objectPath } from '../../local/cli/connection/object-path.ts';
import { doctor } from '../../local/cli/doctor/doctor.ts';
import type { Finding } from '../../local/cli/doctor/finding.ts';
import { versionAnnotation } from '../../local/manifests/kube-object.ts';
import { pauseFirstObjects } from '../../local/manifests/pause-first.ts';
import { useLab } from './harness/lab.ts';
import { leaveNoInstallation } from './harness/no-installation.ts';
import { pool } from './harness/objects.ts';
import { paths } from './harness/paths.ts';
import { until } from './harness/until.ts';
import { githubSecret, startProduct } from './product.ts';

const lab = useLab();
const { kube, argocd, controlPlane } = lab;
const mco = 'openshift-machine-config-operator';
let worlds = 0;
const components = ['controller', 'daemon', 'server'] as const;

// The doctor names what others have left, too.
beforeAll(() => leaveNoInstallation(kube));

/** A connected cluster with a sound Machine Config Operator, and a Poolkeeper whose notifications Argo CD sends. */
async function world() {
  // A namespace takes a while to go.
  worlds += 1;
  const home = `poolkeeper-doctor-${worlds}`;
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
  /** The API server's authorizer learns of roles some time after they were accepted or deleted. */
  const lookUntil = (what: string, words: RegExp) =>
    until(
      async () => {
        const looked = await look();
        return looked.findings.some((finding) => words.test(finding.what)) && looked;
      },
      60_000,
      what,
    );
  const protect = async () => {
    const text = await readFile(config, 'utf8');
    await writeFile(
      config,
      text.replace('- name: lab\n', '- name: lab\n    pools: {examined: {protection: admission}}\n'),
    );
  };
  return { home, look, lookUntil, product, protect };
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

test('[N-27] the doctor looks at the policy of the admission level as the API server keeps it', async () => {
  const { home, look, protect } = await world();
  await protect();

  const missing = await look();
  const objects = pauseFirstObjects({ namespace: home, pools: ['examined'], except: [] });
  for (const object of objects) {
    await kube.post(objectPath(object).replace(/\/[^/]*$/, ''), object);
    onTestFinished(() => kube.delete(objectPath(object)));
  }
  const sound = await look();
  const [policy, binding] = objects;
  if (policy === undefined || binding === undefined) throw new Error('nothing is printed');
  await kube.patch(objectPath(policy), { metadata: { annotations: { [versionAnnotation]: '0' } } });
  const old = await look();
  await kube.delete(objectPath(binding));
  const unbound = await look();

  expect(about(missing.findings, 'admission: no policy refuses changes of examined')?.state).toBe('wrong');
  expect(about(sound.findings, 'admission: changes of examined are refused')?.state).toBe('ok');
  expect(about(old.findings, 'has version 0')?.state).toBe('wrong');
  expect(about(unbound.findings, 'admission: no binding covers examined')?.state).toBe('wrong');
});

test('[S3-15] [C-13] the doctor finds nothing wrong with what connect has made, and names each thing that breaks', async () => {
  const { home, lookUntil, product } = await world();
  await product.tick();

  const sound = await lookUntil('the account to have its rights', /rights: all/);
  for (const part of components) await component(part, false);
  await kube.delete(`/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/${home}-poolkeeper-pause`);
  await kube.delete(`/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/${home}-may-only-renew`);
  await kube.patch(`${paths.in(argocd.namespace).secrets}/argocd-notifications-secret`, { data: null });
  const broken = await lookUntil('the account to have lost a right', /may not patch machineconfigpools examined/);

  // The instance is called `lab` in the product and after its namespace by connect; nobody has labelled an Application
  // here.
  const expected = sound.findings.filter(
    ({ state, what }) => state === 'wrong' && !what.includes('name this instance'),
  );
  expect(expected).toEqual([]);
  expect(about(sound.findings, 'rights: all')?.state).toBe('ok');
  expect(about(sound.findings, 'policies limit the account')?.state).toBe('ok');
  for (const part of components)
    expect(about(sound.findings, `machine-config-${part}: 1 of 1 ready`)?.state).toBe('ok');
  expect(about(sound.findings, 'accepts the signature')?.state).toBe('ok');
  expect(about(sound.findings, 'read at')?.state).toBe('ok');
  expect(broken.status).toBe(1);
  expect(about(broken.findings, 'may not patch machineconfigpools examined')?.state).toBe('wrong');
  for (const part of components)
    expect(about(broken.findings, `machine-config-${part}: 1 of 1 not ready`)?.state).toBe('wrong');
  expect(about(broken.findings, `the account in ${home} may request tokens of any life`)?.state).toBe('wrong');
  expect(about(broken.findings, 'sends the literal text $poolkeeper-token')?.state).toBe('wrong');
});
